import type Stripe from 'stripe';
import type { Config } from '../config.ts';
import { connectStripe } from '../payments/provider.ts';
import { handledEvents } from '../payments/webhook.ts';
import type { Services } from '../services.ts';
import { webhookOf } from './address.ts';
import { askOther, patience, reasonOf } from './ask.ts';
import type { Report } from './report.ts';

const keysPage = 'https://dashboard.stripe.com/apikeys';
const webhooksPage = 'https://dashboard.stripe.com/webhooks';
/** An event that Stripe could not bring within this time is one that it will try again later. */
const delivered = 600;

/** The account behind the keys, and whether it tells this shop of payments. Only reads. */
export async function examineStripe(config: Config, { stripe }: Services, report: Report): Promise<void> {
  const mode = stripe.secretKey.includes('_live_') ? 'live' : 'test';
  const began = Date.now();
  const client = await connectStripe(
    stripe,
    async (request) => {
      const response = await fetch(request);
      report.sawClock('Stripe', Date.parse(response.headers.get('date') ?? ''), began);
      return response;
    },
    { maxNetworkRetries: 0, timeout: patience },
  );
  let newest: Stripe.PaymentIntent | undefined;
  try {
    // What the shop itself asks for; the rest it can do without.
    newest = (await client.paymentIntents.list({ limit: 1 })).data[0];
  } catch (error) {
    return tellRefused(error, report);
  }
  if (mode === 'live') report.ok('Stripe: the secret key is taken, in live mode: real cards are charged.');
  else
    report.look(
      'Stripe: the secret key is taken, in test mode: no real card is charged.',
      'To sell, set the keys of live mode, and a DATA_DIR or DATABASE_URL of its own for them.',
    );
  await examineAccount(client, report);
  await examinePublishable(stripe, newest, report);
  await examineScript(stripe, report);
  await examineWebhook(config, client, report);
  await examineDeliveries(client, report);
}

function tellRefused(error: unknown, report: Report): void {
  const type = typeOf(error);
  if (type === 'StripeAuthenticationError')
    report.wrong(
      'Stripe does not know STRIPE_SECRET_KEY: it was mistyped, or has been replaced.',
      `Copy it anew: ${keysPage}`,
    );
  else if (type === 'StripePermissionError')
    report.wrong(
      'Stripe does not let STRIPE_SECRET_KEY see payments: it is a restricted key.',
      `Let it write PaymentIntents and Refunds, and read Webhook Endpoints and Events: ${keysPage}`,
    );
  else
    report.wrong(
      `Stripe cannot be reached (${reasonOf(error)}).`,
      'Let this machine reach it: see its DNS and firewall, and STRIPE_API_URL where that is set.',
    );
}

async function examineAccount(client: Stripe, report: Report): Promise<void> {
  try {
    const { charges_enabled } = await client.accounts.retrieveCurrent();
    if (charges_enabled) report.ok('Stripe: the account may take payments.');
    else
      report.wrong(
        'Stripe does not let the account take payments yet.',
        "Give what Stripe's dashboard asks for there: who you are, and a bank account.",
      );
  } catch (error) {
    // A restricted key need not see it.
    if (typeOf(error) !== 'StripePermissionError') throw error;
  }
}

/** As a browser does: a payment is shown to a publishable key of its own account, with its client secret. */
async function examinePublishable(
  { publishableKey, apiUrl }: Services['stripe'],
  newest: Stripe.PaymentIntent | undefined,
  report: Report,
): Promise<void> {
  const client = await connectStripe({ secretKey: publishableKey, apiUrl }, fetch, {
    maxNetworkRetries: 0,
    timeout: patience,
  });
  const id = newest?.id ?? 'pi_none';
  const secret = newest?.client_secret ?? `${id}_secret_none`;
  const refused = await client.paymentIntents.retrieve(id, { client_secret: secret }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const todo = `Copy both keys anew from the same account: ${keysPage}`;
  if (typeOf(refused) === 'StripeAuthenticationError')
    report.wrong('Stripe does not know STRIPE_PUBLISHABLE_KEY.', todo);
  else if (newest && typeOf(refused) === 'StripeInvalidRequestError')
    report.wrong('STRIPE_PUBLISHABLE_KEY is of another account than STRIPE_SECRET_KEY.', todo);
  else if (refused !== undefined && typeOf(refused) !== 'StripeInvalidRequestError')
    report.look(`Stripe did not say whose the publishable key is (${reasonOf(refused)}).`, 'Try again.');
  else if (newest) report.ok('Stripe: the publishable key is of the same account.');
  else
    report.ok('Stripe: the publishable key is taken; whether of the same account the first payment shows.');
}

async function examineScript({ jsUrl }: Services['stripe'], report: Report): Promise<void> {
  const asked = await askOther('Stripe', jsUrl, report);
  if ('response' in asked && asked.response.ok) report.ok('Stripe: the script of the card field is there.');
  else
    report.look(
      `Stripe: the script of the card field, ${jsUrl}, did not come (${'failed' in asked ? asked.failed : asked.response.status}).`,
      "Visitors' browsers fetch it by themselves: this matters only where theirs cannot either, or STRIPE_JS_URL is set.",
    );
}

async function examineWebhook(config: Config, client: Stripe, report: Report): Promise<void> {
  const url = webhookOf(config);
  const add = `Add one at ${webhooksPage} for ${handledEvents.join(' and ')}, and set STRIPE_WEBHOOK_SECRET to its signing secret.`;
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
    report.wrong(`Stripe's webhook for ${url} is disabled.`, `Enable it: ${webhooksPage}`);
  else if (lacks.length > 0)
    report.wrong(`Stripe's webhook does not tell of ${lacks.join(', ')}.`, `Add it there: ${webhooksPage}`);
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

function typeOf(error: unknown): string | undefined {
  return error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : undefined;
}
