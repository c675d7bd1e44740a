import type Stripe from 'stripe';
import type { Config } from '../../config/config.ts';
import type { Services } from '../../config/services.ts';
import { createStripeClient } from '../../shop/payments/provider.ts';
import { handledEvents } from '../../shop/payments/webhook.ts';
import { getWebhookUrl } from './address.ts';
import { describeFailure, probeTimeoutMs } from './probe.ts';
import type { Report } from './report.ts';

const keysPage = 'https://dashboard.stripe.com/apikeys';
const webhooksPage = 'https://dashboard.stripe.com/webhooks';

/** Checks the account behind the keys and its webhooks. Read-only. */
export async function checkStripe(config: Config, { stripe }: Services, report: Report): Promise<void> {
  const send = async (request: Request) => {
    const began = Date.now();
    const response = await fetch(request);
    report.recordClock('Stripe', response.headers.get('date'), began);
    return response;
  };
  const options = { maxNetworkRetries: 0, timeout: probeTimeoutMs };
  const client = await createStripeClient(stripe, send, options);
  // The only permission that the shop cannot do without.
  const payments = await attempt(client.paymentIntents.list({ limit: 1 }));
  if ('failed' in payments) return reportRefusal(payments.failed, report);
  if (stripe.secretKey.includes('_live_'))
    report.ok('Stripe: the secret key is taken, in live mode: real cards are charged.');
  else
    report.warn(
      'Stripe: the secret key is taken, in test mode: no real card is charged.',
      'To sell, set the keys of live mode, and a DATA_DIR or DATABASE_URL of its own for them.',
    );
  // A restricted key may not be allowed to read it.
  const account = await attempt(client.accounts.retrieveCurrent());
  if ('value' in account && !account.value.charges_enabled)
    report.error(
      'Stripe does not let the account take payments yet.',
      "Give what Stripe's dashboard asks for there: who you are, and a bank account.",
    );
  const browser = await createStripeClient({ ...stripe, secretKey: stripe.publishableKey }, send, options);
  await examinePublishable(browser, payments.value.data[0], report);
  await examineWebhook(getWebhookUrl(config), client, report);
}

function reportRefusal(failed: string, report: Report): void {
  if (failed === 'StripeAuthenticationError')
    report.error(
      'Stripe does not know STRIPE_SECRET_KEY: it was mistyped, or has been replaced.',
      `Copy it anew: ${keysPage}`,
    );
  else if (failed === 'StripePermissionError')
    report.error(
      'Stripe does not let STRIPE_SECRET_KEY see payments: it is a restricted key.',
      `Let it write PaymentIntents and Refunds, and read Webhook Endpoints: ${keysPage}`,
    );
  else
    report.error(
      `Stripe cannot be reached (${failed}).`,
      'Let this machine reach it: see its DNS and firewall, and STRIPE_API_URL where that is set.',
    );
}

/** As in a browser: a publishable key can read a payment of its own account with the client secret. */
async function examinePublishable(
  browser: Stripe,
  newest: Stripe.PaymentIntent | undefined,
  report: Report,
): Promise<void> {
  const id = newest?.id ?? 'pi_none';
  const shown = await attempt(
    browser.paymentIntents.retrieve(id, { client_secret: newest?.client_secret ?? `${id}_secret_none` }),
  );
  const isKnown = 'value' in shown || shown.failed === 'StripeInvalidRequestError';
  if (!isKnown)
    report.error(
      `Stripe does not take STRIPE_PUBLISHABLE_KEY (${shown.failed}).`,
      `Copy it anew: ${keysPage}`,
    );
  else if (!newest)
    report.ok('Stripe: the publishable key is taken; whether of the same account the first payment shows.');
  else if ('value' in shown) report.ok('Stripe: the publishable key is of the same account.');
  else
    report.error(
      'STRIPE_PUBLISHABLE_KEY is of another account than STRIPE_SECRET_KEY.',
      `Copy both keys anew from the same account: ${keysPage}`,
    );
}

/** Checks that Stripe sends the events of payments to this shop. */
async function examineWebhook(url: string, client: Stripe, report: Report): Promise<void> {
  const endpoints = await attempt(client.webhookEndpoints.list({ limit: 100 }));
  if ('failed' in endpoints)
    return report.warn(
      `Stripe does not show its webhooks to this key (${endpoints.failed}).`,
      `See for yourself that there is one for ${url}.`,
    );
  const ours = endpoints.value.data.filter((endpoint) => endpoint.url === url);
  const enabled = ours.filter(({ status }) => status === 'enabled');
  const sent = new Set(enabled.flatMap(({ enabled_events }) => enabled_events));
  const missing = sent.has('*') ? [] : handledEvents.filter((event) => !sent.has(event));
  if (ours.length === 0)
    report.error(
      `Stripe has no webhook for ${url}.`,
      `Add one at ${webhooksPage} for ${handledEvents.join(', ')}, and set STRIPE_WEBHOOK_SECRET to its signing secret.`,
    );
  else if (enabled.length === 0)
    report.error(`Stripe's webhook for ${url} is disabled.`, `Enable it: ${webhooksPage}`);
  else if (missing.length > 0)
    report.error(`Stripe's webhook does not tell of ${missing.join(', ')}.`, `Add it there: ${webhooksPage}`);
  else report.ok(`Stripe tells ${url} of payments.`);
}

/** The result, or the type of Stripe's error (https://docs.stripe.com/error-handling) or the network's code. */
async function attempt<T>(call: Promise<T>): Promise<{ value: T } | { failed: string }> {
  try {
    return { value: await call };
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? String(error.type) : undefined;
    return { failed: type && type !== 'StripeConnectionError' ? type : describeFailure(error) };
  }
}
