import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder } from '../../../tests/support/database.ts';
import {
  confirmIntent,
  openPayment,
  placeOrder,
  refundOrder,
  reportPaid,
  requestStripe,
} from '../../../tests/support/payments.ts';
import { findFreePort, listenOnFreePort } from '../../../tests/support/port.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { readConfig } from '../../config/config.ts';
import { readFacts } from '../health/facts.ts';
import { runDoctor } from './doctor.ts';

let DATA_DIR: string;
let PORT: string;
beforeEach(async () => {
  DATA_DIR = makeFolder();
  PORT = `${await findFreePort()}`;
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

/** For a shop that uses another shop's stand-in for Stripe. */
const toStripeSettings = ({ stripe, origin }: TestShop) => ({
  STRIPE_SECRET_KEY: stripe.secretKey,
  STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
  STRIPE_API_URL: `${origin}/sandbox/stripe`,
});

/** Runs the doctor on a live shop. Account and settings are valid except for the changes. */
async function checkLive(changes: Partial<StripeAccount>, settings: Record<string, string> = {}) {
  const url = `http://localhost:${PORT}`;
  const account: StripeAccount = {
    secretKey: 'sk_test_right',
    publishableKeys: ['pk_test_known_ours'],
    chargesEnabled: true,
    intents: [{ id: 'pi_1', client_secret: 'pi_1_secret_1' }],
    webhooks: [{ url: `${url}/api/webhooks/stripe`, status: 'enabled', enabled_events: ['*'] }],
    clockAheadMs: 0,
    ...changes,
  };
  const stripe = await startStripeAccount(account);
  const config = readConfig({
    DATA_DIR,
    PORT,
    PUBLIC_URL: url,
    SHOP_CURRENCY: 'USD',
    STRIPE_SECRET_KEY: 'sk_test_right',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_known_ours',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    STRIPE_API_URL: stripe,
    GOOGLE_CLIENT_ID: 'client',
    GOOGLE_CLIENT_SECRET: 'hush-hush',
    GOOGLE_DISCOVERY_URL: `${stripe}/discovery`,
    ...settings,
  });
  const lines: string[] = [];
  const counts = await runDoctor(config, (line) => lines.push(line));
  const output = lines.join('\n');
  for (const hidden of ['sk_test_right', 'whsec_1', 'hush-hush']) expect(output).not.toContain(hidden);
  return { output, counts };
}

test('a live shop with valid keys and webhook has no errors', async () => {
  const { output, counts } = await checkLive({});
  expect(counts.error, output).toBe(0);
  expect(output).toContain('test mode: no real card is charged');
  expect(output).toContain('the publishable key belongs to the same account');
  expect(output).toMatch(/Stripe sends payment events to http:\/\/localhost:\d+\/api\/webhooks\/stripe/);
  expect(output).toMatch(/redirect URI http:\/\/localhost:\d+\/api\/auth\/callback\/google/);
  expect(output).toMatch(/Clock: agrees with .*Stripe/);
});

const enabled = { status: 'enabled', enabled_events: ['payment_intent.succeeded'] };

test.each<[string, Partial<StripeAccount>, Record<string, string>, RegExp]>([
  ['a replaced key', { secretKey: 'sk_test_new' }, {}, /error .*Stripe rejects the secret key/],
  [
    'an account that cannot take payments',
    { chargesEnabled: false },
    {},
    /error .*not allow the account to take payments/,
  ],
  [
    'no webhook',
    { webhooks: [] },
    {},
    /error .*has no webhook for .*\n.*payment_intent.succeeded, payment_intent.canceled, refund.created/,
  ],
  [
    'a webhook for another address',
    { webhooks: [{ url: 'https://other.example/', ...enabled }] },
    {},
    /error .*has no webhook for/,
  ],
  ['a key of another account', { publishableKeys: [] }, {}, /error .*belong to different accounts/],
  [
    'an unknown publishable key',
    {},
    { STRIPE_PUBLISHABLE_KEY: 'pk_test_mistyped' },
    /error .*rejects STRIPE_PUBLISHABLE_KEY/,
  ],
  ['a slow clock', { clockAheadMs: 600_000 }, {}, /error .*(599|60\d) seconds behind/],
  ['a fast clock', { clockAheadMs: -60_000 }, {}, /warning .*(59|6\d) seconds ahead of/],
  [
    'an unreachable Google',
    {},
    { GOOGLE_DISCOVERY_URL: 'http://127.0.0.1:9/' },
    /error .*discovery document is unavailable/,
  ],
])('the doctor reports %s', async (_, changes, settings, line) => {
  // Otherwise a slow response would add to the difference between the clocks.
  vi.setSystemTime(Date.now());
  onTestFinished(() => void vi.useRealTimers());
  const { output } = await checkLive(changes, settings);
  expect(output).toMatch(line);
});

test('the doctor finds out whether the running shop has the same settings, and leaves no trace', async () => {
  await using provider = await startShop();
  await provider.listen();
  const settings = {
    PORT,
    PUBLIC_URL: `http://localhost:${PORT}`,
    GOOGLE_SIGN_IN: 'off',
    SHOP_CURRENCY: 'USD',
    STRIPE_SECRET_KEY: provider.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: provider.stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: 'whsec_old,whsec_new',
    STRIPE_API_URL: `${provider.origin}/sandbox/stripe`,
  };
  await using shop = await startShop({ settings });
  await shop.listen();
  const same = await checkLive({}, settings);
  expect(same.output).toMatch(/ok .*is this shop and has this STRIPE_WEBHOOK_SECRET/);
  const other = await checkLive({}, { ...settings, STRIPE_WEBHOOK_SECRET: 'whsec_old,whsec_newer' });
  expect(other.output).toMatch(/error .*another STRIPE_WEBHOOK_SECRET/);
  const { webhook } = await readFacts(shop.database);
  expect(webhook).toEqual({ lastAt: null, lastOfPaymentAt: null });
});

test('the doctor compares the balance of each payment with Stripe', async () => {
  await using provider = await startShop();
  await provider.listen();
  const settings = {
    PORT,
    PUBLIC_URL: `http://localhost:${PORT}`,
    GOOGLE_SIGN_IN: 'off',
    SHOP_CURRENCY: 'USD',
    STRIPE_SECRET_KEY: provider.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: provider.stripe.publishableKey,
    STRIPE_API_URL: `${provider.origin}/sandbox/stripe`,
    DATA_DIR,
  };
  const live = { STRIPE_WEBHOOK_SECRET: 'whsec_1', ...settings };
  await using shop = await startShop({ settings: live, place: { file: `${DATA_DIR}/shop.db` } });
  const [admin, customer] = [shop.client(await shop.admin()), await shop.signUp()];
  const order = await placeOrder(shop, customer, await shop.addProduct(), 2);
  const intent = await openPayment(shop, customer, order);
  await confirmIntent(provider, intent);
  await reportPaid(shop, customer, order, intent);
  await refundOrder(admin, { params: { id: order._id }, body: { amount: 5, reason: 'other' } });
  expect((await checkLive({}, settings)).output).toMatch(/ok .*newest payments \(1\) have the same balance/);

  // The shop has not received the webhook of this refund.
  await requestStripe(provider, 'POST', '/refunds', { payment_intent: intent.id, amount: '100' });
  expect((await checkLive({}, settings)).output).toMatch(
    new RegExp(`error .*1 of the newest payments have a different balance at Stripe: ${intent.id}`),
  );
  await shop.doPeriodicWork();
  expect((await checkLive({}, settings)).output).toMatch(/ok .*newest payments \(1\) have the same balance/);
});

test('the doctor compares the account and the mode of the keys with those in the database', async () => {
  await using provider = await startShop();
  await using another = await startShop();
  await provider.listen();
  await another.listen();
  const keysOf = (provider: TestShop) => ({
    PORT,
    PUBLIC_URL: `http://localhost:${PORT}`,
    GOOGLE_SIGN_IN: 'off',
    SHOP_CURRENCY: 'USD',
    DATA_DIR,
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    ...toStripeSettings(provider),
  });
  await using shop = await startShop({
    settings: keysOf(provider),
    place: { file: `${DATA_DIR}/shop.db` },
  });
  const customer = await shop.signUp();
  const order = await placeOrder(shop, customer, await shop.addProduct());
  const intent = await openPayment(shop, customer, order);
  await confirmIntent(provider, intent);
  await reportPaid(shop, customer, order, intent);
  await shop.doPeriodicWork();
  expect((await checkLive({}, keysOf(provider))).output).toMatch(/ok .*newest payments \(1\)/);
  expect((await checkLive({}, keysOf(another))).output).toMatch(
    /error .*keys belong to the account acct_\w+, but the payments in this database to acct_\w+\./,
  );
  await shop.database.db.updateTable('setting').set({ value: 'live' }).where('name', '=', 'mode').execute();
  expect((await checkLive({}, keysOf(provider))).output).toMatch(
    /error .*belongs to a live shop, but STRIPE_SECRET_KEY is a test key/,
  );
});

test('the doctor reports an unreachable Stripe', async () => {
  const { output } = await checkLive({}, { STRIPE_API_URL: `http://127.0.0.1:${await findFreePort()}` });
  expect(output).toMatch(/error .*Stripe does not respond \(ECONNREFUSED\)/);
});

test('the doctor names an error whose cause it does not know', async () => {
  await using provider = await startShop();
  await provider.listen();
  provider.stripe.fail({ call: 'GET /v1/payment_intents', how: 400 });
  const { output } = await checkLive({}, toStripeSettings(provider));
  expect(output).toMatch(/error .*cannot read the payments at Stripe \(StripeInvalidRequestError\)/);
});

test('the doctor reports a webhook that is disabled or lacks events', async () => {
  const url = `http://localhost:${PORT}/api/webhooks/stripe`;
  const disabled = await checkLive({ webhooks: [{ ...enabled, url, status: 'disabled' }] });
  expect(disabled.output).toMatch(/error .*is disabled/);
  const incomplete = await checkLive({ webhooks: [{ ...enabled, url }] });
  expect(incomplete.output).toMatch(/error .*does not send payment_intent.canceled/);
});

test('the doctor works with the stand-in for Stripe', async () => {
  await using provider = await startShop();
  await provider.listen();
  const { output } = await checkLive({}, toStripeSettings(provider));
  expect(output).toContain('accepts the secret key, in test mode');
  expect(output).toContain('does not allow this key to read webhooks');
});

test('a contact address and a newsletter without mail are reported as having no effect', async () => {
  const set = { CONTACT_EMAIL: 'owner@mail.example', NEWSLETTER: 'yes' };
  const { output } = await checkLive({}, set);
  expect(output).toContain('customers get no receipts, and CONTACT_EMAIL and NEWSLETTER have no effect.');
  expect((await checkLive({}, { NEWSLETTER: 'yes' })).output).toContain(', and NEWSLETTER has no effect.');
  expect((await checkLive({})).output).toContain('customers get no receipts.');
});

/** The parts of a Stripe account that the doctor reads. */
type StripeAccount = {
  secretKey: string;
  publishableKeys: string[];
  chargesEnabled: boolean;
  intents: { id: string; client_secret: string }[];
  webhooks: { url: string; status: string; enabled_events: string[] }[];
  /** How far Stripe's clock is ahead of ours. */
  clockAheadMs: number;
};

/**
 * Starts a read-only server that responds as Stripe's API reference says (https://docs.stripe.com/api): lists, typed
 * errors, and 401 for unknown keys. It closes at the end of the test. Returns its origin.
 */
async function startStripeAccount(account: StripeAccount): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe.test');
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const { status, body } = respond(
      account,
      request.method,
      pathname,
      key,
      searchParams.get('client_secret'),
    );
    const date = new Date(Date.now() + account.clockAheadMs).toUTCString();
    response.writeHead(status, { date, 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listenOnFreePort(server)}`;
}

type StripeResponse = { status: number; body: object };

function respond(
  account: StripeAccount,
  method: string | undefined,
  path: string,
  key: string,
  secret: string | null,
): StripeResponse {
  const list = (data: object[]) => ({ status: 200, body: { object: 'list', data, has_more: false } });
  if (path === '/discovery') return { status: 200, body: { token_endpoint: 'https://google.test/token' } };
  if (method !== 'GET') return stripeError(405, 'This account is read-only.');
  const intent = account.intents.find(({ id }) => path === `/v1/payment_intents/${id}`);
  if (key.startsWith('pk_test_') && path.startsWith('/v1/payment_intents/')) {
    if (!key.startsWith('pk_test_known')) return stripeError(401, 'Invalid API Key provided.');
    return intent && account.publishableKeys.includes(key) && secret === intent.client_secret
      ? { status: 200, body: intent }
      : stripeError(404, 'No such payment_intent.');
  }
  if (key !== account.secretKey) return stripeError(401, 'Invalid API Key provided.');
  if (path === '/v1/payment_intents') return list(account.intents);
  if (path === '/v1/account') return { status: 200, body: { charges_enabled: account.chargesEnabled } };
  if (path === '/v1/webhook_endpoints') return list(account.webhooks);
  return stripeError(404, `Unrecognized request URL (${method}: ${path}).`);
}

const stripeError = (status: number, message: string): StripeResponse => ({
  status,
  body: { error: { type: 'invalid_request_error', message } },
});
