import type Stripe from 'stripe';
import type { Config } from '../../config/config.ts';
import type { Services } from '../../config/services.ts';
import {
  createStripeClient,
  findProviderProblem,
  isForbidden,
  providerProblems,
} from '../../shop/payments/stripe-client.ts';
import { handledEvents } from '../../shop/payments/webhook.ts';
import { getWebhookUrl } from './address.ts';
import { checkBalances } from './balances.ts';
import { attempt, probeTimeoutMs, type Report } from './report.ts';

const keysPage = 'https://dashboard.stripe.com/apikeys';
const webhooksPage = 'https://dashboard.stripe.com/webhooks';

/** Checks the account behind the keys and its webhooks. Read-only. */
export async function checkStripe(config: Config, { stripe }: Services, report: Report): Promise<void> {
  const send = async (request: Request) => {
    const startedAt = Date.now();
    const response = await fetch(request);
    report.recordClock('Stripe', response.headers.get('date'), startedAt);
    return response;
  };
  const options = { maxNetworkRetries: 0, timeout: probeTimeoutMs };
  const client = await createStripeClient(stripe, send, options);
  // The only permission without which nothing works.
  const payments = await attempt(client.paymentIntents.list({ limit: 1 }));
  if ('failed' in payments) {
    if (isForbidden(payments.error))
      return report.error(
        'Stripe does not allow STRIPE_SECRET_KEY to read payments: it is a restricted key.',
        `Allow it to write PaymentIntents and Refunds, and to read Disputes and Webhook Endpoints: ${keysPage}`,
      );
    const problem = findProviderProblem(payments.error);
    if (!problem)
      return report.error(
        `The doctor cannot read the payments at Stripe (${payments.failed}).`,
        'Check STRIPE_API_URL if it is set. https://dashboard.stripe.com/logs shows whether the request reached Stripe.',
      );
    const { finding, advice } = providerProblems[problem];
    return report.error(`Stripe ${finding} (${payments.failed}).`, advice);
  }
  if (config.mode === 'live')
    report.ok('Stripe: accepts the secret key, in live mode: real cards are charged.');
  else
    report.warn(
      'Stripe: accepts the secret key, in test mode: no real card is charged.',
      'To sell, set the live mode keys and a new DATA_DIR or DATABASE_URL.',
    );
  // A restricted key may lack the permission to read the account.
  const account = await attempt(client.accounts.retrieveCurrent());
  if ('value' in account && !account.value.charges_enabled)
    report.error(
      'Stripe does not allow the account to take payments yet.',
      "Complete the steps in Stripe's dashboard, such as your identity and a bank account.",
    );
  const browser = await createStripeClient({ ...stripe, secretKey: stripe.publishableKey }, send, options);
  await checkPublishableKey(browser, payments.value.data[0], report);
  await checkWebhook(getWebhookUrl(config), client, report);
  await checkBalances(config, client, 'value' in account ? account.value.id : undefined, report);
}

/** Uses the key as a browser does: with the client secret, it can read a payment of its own account. */
async function checkPublishableKey(
  browser: Stripe,
  newest: Stripe.PaymentIntent | undefined,
  report: Report,
) {
  const id = newest?.id ?? 'pi_none';
  const found = await attempt(
    browser.paymentIntents.retrieve(id, { client_secret: newest?.client_secret ?? `${id}_secret_none` }),
  );
  const isKnown = 'value' in found || found.failed === 'StripeInvalidRequestError';
  if (!isKnown)
    report.error(`Stripe rejects STRIPE_PUBLISHABLE_KEY (${found.failed}).`, `Copy it again: ${keysPage}`);
  else if (!newest)
    report.ok(
      'Stripe: accepts the publishable key. The first payment will show whether it fits the account.',
    );
  else if ('value' in found) report.ok('Stripe: the publishable key belongs to the same account.');
  else
    report.error(
      'STRIPE_PUBLISHABLE_KEY and STRIPE_SECRET_KEY belong to different accounts.',
      `Copy both keys from the same account: ${keysPage}`,
    );
}

async function checkWebhook(url: string, client: Stripe, report: Report): Promise<void> {
  const endpoints = await attempt(client.webhookEndpoints.list({ limit: 100 }));
  if ('failed' in endpoints)
    return report.warn(
      `Stripe does not allow this key to read webhooks (${endpoints.failed}).`,
      `Check in the dashboard that there is one for ${url}: ${webhooksPage}`,
    );
  const ours = endpoints.value.data.filter((endpoint) => endpoint.url === url);
  const enabled = ours.filter(({ status }) => status === 'enabled');
  const enabledEvents = new Set(enabled.flatMap(({ enabled_events }) => enabled_events));
  const missing = enabledEvents.has('*') ? [] : handledEvents.filter((event) => !enabledEvents.has(event));
  if (ours.length === 0)
    report.error(
      `Stripe has no webhook for ${url}.`,
      `Add one at ${webhooksPage} for ${handledEvents.join(', ')}, and set STRIPE_WEBHOOK_SECRET to its signing secret.`,
    );
  else if (enabled.length === 0)
    report.error(`Stripe's webhook for ${url} is disabled.`, `Enable it: ${webhooksPage}`);
  else if (missing.length > 0)
    report.error(`Stripe's webhook does not send ${missing.join(', ')}.`, `Add them: ${webhooksPage}`);
  else report.ok(`Stripe sends payment events to ${url}.`);
}
