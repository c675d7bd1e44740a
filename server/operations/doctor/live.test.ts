import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../tests/support/database.ts';
import { findFreePort } from '../../../tests/support/port.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { type Account, openAccount } from '../../../tests/support/stripe-account.ts';
import { readConfig } from '../../config/config.ts';
import { readFacts } from '../health/facts.ts';
import { runDoctor } from './doctor.ts';
import { createReport } from './report.ts';

let DATA_DIR: string;
let PORT: string;
beforeEach(async () => {
  DATA_DIR = makeFolder();
  PORT = `${await findFreePort()}`;
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

/** All that is said of a live shop with this account, whose keys are right but for `settings`. */
async function examineLive(changes: Partial<Account>, settings: Record<string, string> = {}) {
  const url = `http://localhost:${PORT}`;
  const account: Account = {
    secretKey: 'sk_test_right',
    publishableKeys: ['pk_test_known_ours'],
    chargesEnabled: true,
    intents: [{ id: 'pi_1', client_secret: 'pi_1_secret_1' }],
    webhooks: [{ url: `${url}/api/webhooks/stripe`, status: 'enabled', enabled_events: ['*'] }],
    ahead: 0,
    ...changes,
  };
  const stripe = await openAccount(account);
  const config = readConfig({
    ...{ DATA_DIR, PORT, PUBLIC_URL: url },
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
  const report = createReport((line) => lines.push(line));
  await runDoctor(config, report);
  const said = lines.join('\n');
  for (const hidden of ['sk_test_right', 'whsec_1', 'hush-hush']) expect(said).not.toContain(hidden);
  return { said, found: report.found };
}

test('a live shop whose keys and webhook are right has nothing wrong', async () => {
  const { said, found } = await examineLive({});
  expect(found.wrong, said).toBe(0);
  expect(said).toContain('test mode: no real card is charged');
  expect(said).toContain('the publishable key is of the same account');
  expect(said).toMatch(/Stripe tells http:\/\/localhost:\d+\/api\/webhooks\/stripe of payments/);
  expect(said).toMatch(/redirect URI http:\/\/localhost:\d+\/api\/auth\/callback\/google/);
  expect(said).toMatch(/Clock: as of .*Stripe/);
});

const enabled = { status: 'enabled', enabled_events: ['payment_intent.succeeded'] };

test.each<[string, Partial<Account>, Record<string, string>, RegExp]>([
  ['a key that was replaced', { secretKey: 'sk_test_new' }, {}, /wrong .*does not know STRIPE_SECRET_KEY/],
  [
    'an account that is not ready',
    { chargesEnabled: false },
    {},
    /wrong .*not let the account take payments/,
  ],
  [
    'no webhook',
    { webhooks: [] },
    {},
    /wrong .*has no webhook for .*\n.*payment_intent.succeeded, payment_intent.canceled, refund.created/,
  ],
  [
    'a webhook for another address',
    { webhooks: [{ url: 'https://other.example/', ...enabled }] },
    {},
    /wrong .*has no webhook for/,
  ],
  ['a key of another account', { publishableKeys: [] }, {}, /wrong .*is of another account/],
  [
    'a publishable key that nobody knows',
    {},
    { STRIPE_PUBLISHABLE_KEY: 'pk_test_mistyped' },
    /wrong .*does not take STRIPE_PUBLISHABLE_KEY/,
  ],
  ['a clock that is late', { ahead: 600_000 }, {}, /wrong .*(599|60\d) seconds behind/],
  ['a clock that is early', { ahead: -60_000 }, {}, /look .*(59|6\d) seconds ahead of/],
  [
    'no Google',
    {},
    { GOOGLE_DISCOVERY_URL: 'http://127.0.0.1:9/' },
    /wrong .*discovery document cannot be had/,
  ],
])('%s is found', async (_, changes, settings, line) => {
  const { said } = await examineLive(changes, settings);
  expect(said).toMatch(line);
});

test('whether the shop that runs has these settings is found, and it keeps nothing of that', async () => {
  await using provider = await startShop();
  await provider.listen();
  const settings = {
    ...{ PORT, PUBLIC_URL: `http://localhost:${PORT}`, GOOGLE_SIGN_IN: 'off', SHOP_CURRENCY: 'USD' },
    STRIPE_SECRET_KEY: provider.stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: provider.stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: 'whsec_old,whsec_new',
    STRIPE_API_URL: `${provider.origin}/sandbox/stripe`,
  };
  await using shop = await startShop({ settings });
  await shop.listen();
  const same = await examineLive({}, settings);
  expect(same.said).toMatch(/ok .*is this shop, and knows STRIPE_WEBHOOK_SECRET/);
  const other = await examineLive({}, { ...settings, STRIPE_WEBHOOK_SECRET: 'whsec_old,whsec_newer' });
  expect(other.said).toMatch(/wrong .*another STRIPE_WEBHOOK_SECRET/);
  const { webhook } = await readFacts(shop.database);
  expect(webhook).toEqual({ lastAt: null, lastOfPaymentAt: null });
});

test('a Stripe that is away is found', async () => {
  const { said } = await examineLive({}, { STRIPE_API_URL: `http://127.0.0.1:${await findFreePort()}` });
  expect(said).toMatch(/wrong .*Stripe cannot be reached \(ECONNREFUSED\)/);
});

test('a webhook that is disabled, or not told enough, is found', async () => {
  const url = `http://localhost:${PORT}/api/webhooks/stripe`;
  const off = await examineLive({ webhooks: [{ ...enabled, url, status: 'disabled' }] });
  expect(off.said).toMatch(/wrong .*is disabled/);
  const less = await examineLive({ webhooks: [{ ...enabled, url }] });
  expect(less.said).toMatch(/wrong .*does not tell of payment_intent.canceled/);
});

test('a real account of the stand-in is read by the official client', async () => {
  await using provider = await startShop();
  await provider.listen();
  const { said } = await examineLive(
    {},
    {
      STRIPE_SECRET_KEY: provider.stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: provider.stripe.publishableKey,
      STRIPE_API_URL: `${provider.origin}/sandbox/stripe`,
    },
  );
  expect(said).toContain('the secret key is taken, in test mode');
  expect(said).toContain('does not show its webhooks to this key');
});
