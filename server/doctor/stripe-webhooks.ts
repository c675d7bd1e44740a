import type Stripe from 'stripe';
import type { Config } from '../config.ts';
import { handledEvents } from '../payments/webhook.ts';
import { webhookOf } from './address.ts';
import { reasonOf, typeOf } from './ask.ts';
import type { Report } from './report.ts';

const page = 'https://dashboard.stripe.com/webhooks';
/** What Stripe could not bring within so many seconds it will try again later. */
const delivered = 600;

/** Whether Stripe is to tell this shop of payments, and could. */
export async function examineWebhooks(config: Config, client: Stripe, report: Report): Promise<void> {
  await examineEndpoint(config, client, report);
  await examineDeliveries(client, report);
}

async function examineEndpoint(config: Config, client: Stripe, report: Report): Promise<void> {
  const url = webhookOf(config);
  const add = `Add one at ${page} for ${handledEvents.join(' and ')}, and set STRIPE_WEBHOOK_SECRET to its signing secret.`;
  let endpoints: Stripe.WebhookEndpoint[];
  try {
    endpoints = (await client.webhookEndpoints.list({ limit: 100 })).data;
  } catch (error) {
    return report.look(
      `Stripe does not show its webhooks to this key (${typeOf(error) ?? reasonOf(error)}).`,
      `See for yourself that there is one for ${url}.`,
    );
  }
  const ours = endpoints.filter((endpoint) => endpoint.url === url);
  const enabled = ours.filter(({ status }) => status === 'enabled');
  const told = new Set(enabled.flatMap(({ enabled_events }) => enabled_events));
  const lacks = told.has('*') ? [] : handledEvents.filter((event) => !told.has(event));
  if (ours.length === 0) report.wrong(`Stripe has no webhook for ${url}.`, add);
  else if (enabled.length === 0)
    report.wrong(`Stripe's webhook for ${url} is disabled.`, `Enable it: ${page}`);
  else if (lacks.length > 0)
    report.wrong(`Stripe's webhook does not tell of ${lacks.join(', ')}.`, `Add it there: ${page}`);
  else report.ok(`Stripe tells ${url} of payments.`);
  if (enabled.length > 1)
    report.look(
      `Stripe has ${enabled.length} webhooks for this address, each with a signing secret of its own.`,
      'Keep one, or set STRIPE_WEBHOOK_SECRET to all their secrets, comma-separated.',
    );
}

/** Stripe counts at each event the webhooks that have not taken it. */
async function examineDeliveries(client: Stripe, report: Report): Promise<void> {
  const asked = { types: [...handledEvents], limit: 20 };
  const events = await client.events.list(asked).then(
    ({ data }) => data,
    () => [],
  );
  const due = events.filter(({ created }) => created < Date.now() / 1000 - delivered);
  const stuck = due.filter(({ pending_webhooks }) => pending_webhooks > 0);
  if (stuck.length > 0)
    report.look(
      `Stripe could not deliver ${stuck.length} of the last ${due.length} events of payments.`,
      'If this shop is at fault, its log says "forged event": set STRIPE_WEBHOOK_SECRET anew. Payments are found all the same, minutes later.',
    );
  else if (due.length > 0) report.ok(`Stripe delivered the last ${due.length} events of payments.`);
}
