import { describe, expect, test } from 'vitest';
import { engines, makeDatabase, makeTestDatabase } from './support/database.ts';
import { liveSettings } from './support/live-settings.ts';
import { confirmIntent, openPayment, placeOrder, reportPaid } from './support/payments.ts';
import { catchProblem } from './support/problem.ts';
import { startShop, type TestShop } from './support/shop.ts';

describe.each(engines)('a database on %s', (engine) => {
  test('opens only in the mode that it was created in: sandbox, test keys or live keys', async () => {
    await using provider = await startShop();
    const keys = liveSettings(provider);
    const modes = {
      sandbox: [{}],
      test: [keys, { ...keys, STRIPE_SECRET_KEY: 'rk_test_1' }],
      live: ['sk_live_1', 'rk_live_1'].map((STRIPE_SECRET_KEY) => ({
        ...keys,
        STRIPE_SECRET_KEY,
        STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
      })),
    };
    const errors = {
      sandbox:
        /^This database was created in the sandbox, but STRIPE_SECRET_KEY is .*DATA_DIR or DATABASE_URL.*\.$/,
      test: /^This database was created with Stripe’s test keys, but .*DATA_DIR or DATABASE_URL.*\.$/,
      live: /^This database belongs to a live shop, but .*DATA_DIR or DATABASE_URL.*\.$/,
    };
    for (const made of ['sandbox', 'test', 'live'] as const) {
      const { place, drop } = await makeDatabase(engine);
      try {
        for (const settings of modes[made]) await (await startShop({ place, settings })).close();
        for (const [mode, others] of Object.entries(modes))
          for (const settings of mode === made ? [] : others)
            await expect(startShop({ place, settings }), `${made} → ${mode}`).rejects.toThrow(errors[made]);
      } finally {
        await drop();
      }
    }
  });
});

test('every page of a shop with test keys says that no real card is charged; with live keys, none does', async () => {
  await using provider = await startShop();
  const settings = liveSettings(provider);
  const readHome = async (shop: TestShop) => (await shop.send('/')).text();
  await using rehearsal = await startShop({ settings });
  expect(await readHome(rehearsal)).toContain('Test mode<!-- -->: no real card is charged.');
  const live = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_PUBLISHABLE_KEY: 'pk_live_1' };
  await using shop = await startShop({ settings: { ...settings, ...live } });
  expect(await readHome(shop)).not.toContain('no real card is charged');
});

test('GOOGLE_SIGN_IN=off also disables the Google stand-in', async () => {
  await using shop = await startShop({ settings: { GOOGLE_SIGN_IN: 'off' } });
  expect((await shop.send('/api/auth/sign-in/social', googleStart)).status).toBe(404);
  const page = await (await shop.send('/login')).text();
  expect(page).toContain('"google":false');
  await shop.signUp();
});

test('a live shop has no stand-ins and no demo accounts, and charges cards at its configured provider', async () => {
  await using provider = await startShop();
  await provider.listen();
  // An empty database: the template for demo shops already contains the demo accounts.
  const place = await makeTestDatabase('sqlite');
  await using shop = await startShop({ place, demo: true, settings: liveSettings(provider) });
  expect(await shop.client().call('listProducts', {})).toEqual([]);
  expect(await shop.client().call('listReviews', {})).toEqual([]);
  await expect(shop.signIn('admin@example.com', 'clockwork')).rejects.toThrow(/401/);
  expect((await shop.send('/sandbox/stripe/v3/')).status).toBe(404);
  expect((await shop.send('/api/auth/sign-in/social', googleStart)).status).toBe(404);

  const person = await shop.signUp();
  const order = await placeOrder(shop, person, await shop.addProduct());
  const intent = await openPayment(shop, person, order);
  await confirmIntent(provider, intent);
  // The stand-in sends its events to its own shop, which ignores payments of unknown orders.
  await reportPaid(shop, person, order, intent);
  const paid = await shop.client(person).call('getOrder', { params: { id: order._id } });
  expect(paid).toMatchObject({ paid: true, transactionId: intent.id });
  await provider.doPeriodicWork();
  expect(await provider.database.db.selectFrom('unknown_payment').selectAll().execute()).toEqual([]);
});

const googleStart = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ provider: 'google', callbackURL: '/' }),
};

test('the sandbox creates demo accounts, catalogue and reviews once; deleted products stay deleted', async () => {
  const { place, drop } = await makeDatabase('sqlite');
  try {
    const first = await startShop({ place, demo: true });
    const admin = await first.signIn('admin@example.com', 'clockwork');
    const products = await first.client(admin).call('listProducts', {});
    expect(products.length).toBeGreaterThanOrEqual(12);
    expect((await first.client().call('listReviews', {})).length).toBeGreaterThanOrEqual(8);
    for (const { img } of products) expect((await first.send(img)).status).toBe(200);
    await first.client(admin).call('deleteProduct', { params: { id: products[0]?._id ?? '' } });
    await first.close();
    await using second = await startShop({ place, demo: true });
    expect((await second.client().call('listProducts', {})).length).toBe(products.length - 1);
  } finally {
    await drop();
  }
});

test('if others can reach a sandbox, demo accounts lose their known passwords and their sessions', async () => {
  const { place, drop } = await makeDatabase('sqlite');
  try {
    const first = await startShop({ place, demo: true });
    const customer = await first.signIn('customer@example.com', 'clockwork');
    await first.close();
    await using open = await startShop({
      place,
      demo: true,
      settings: { PUBLIC_URL: 'https://shop.example' },
    });
    await open.listen();
    await expect(open.signIn('customer@example.com', 'clockwork')).rejects.toThrow(/401/);
    await expect(open.signIn('admin@example.com', 'clockwork')).rejects.toThrow(/401/);
    const orders = open.client(customer).call('listOwnOrders', { query: { user: customer.email } });
    expect(await catchProblem(orders)).toMatchObject({ status: 401 });
    const [, password = ''] = /admin@example\.com (\S+?)[,.]? /.exec(`${await open.describeDemo()} `) ?? [];
    expect((await open.signIn('admin@example.com', password)).token).not.toBe('');
  } finally {
    await drop();
  }
});

test('a database of a newer release is rejected with an explanation', async () => {
  const { place, drop } = await makeDatabase('sqlite');
  try {
    const shop = await startShop({ place });
    await shop.database.db.insertInto('migration').values({ name: '999-later', applied_at: 1 }).execute();
    await shop.close();
    await expect(startShop({ place })).rejects.toThrow(/999-later.*newer release/);
  } finally {
    await drop();
  }
});
