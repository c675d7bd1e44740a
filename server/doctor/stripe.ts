import type Stripe from 'stripe';
import type { Config } from '../config.ts';
import { connectStripe } from '../payments/provider.ts';
import type { Services } from '../services.ts';
import { askOther, patience, reasonOf, typeOf } from './ask.ts';
import type { Report } from './report.ts';
import { examineWebhooks } from './stripe-webhooks.ts';

const keysPage = 'https://dashboard.stripe.com/apikeys';

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
  await examineWebhooks(config, client, report);
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
