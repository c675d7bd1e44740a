import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { auditOrders, auditRefunds, readShop } from '../../../tests/support/auditor.ts';
import { engines, makeDatabase, makeFolder } from '../../../tests/support/database.ts';
import {
  confirmIntent,
  openPayment,
  placeOrder,
  reportPaid,
  requestStripe,
} from '../../../tests/support/payments.ts';
import { findFreePort } from '../../../tests/support/port.ts';
import { runCommand } from '../../../tests/support/server.ts';
import { startShop } from '../../../tests/support/shop.ts';

test.each(engines)(
  'on %s, reconcile finds the payments and refunds that a restored database lacks, and --apply adds each once',
  { timeout: 90_000 },
  async (engine) => {
    await using provider = await startShop();
    await provider.listen();
    const { place, drop } = await makeDatabase(engine, 'migrated');
    onTestFinished(drop);
    const folder = makeFolder();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const PORT = `${await findFreePort()}`;
    const settings = {
      PORT,
      PUBLIC_URL: `http://localhost:${PORT}`,
      GOOGLE_SIGN_IN: 'off',
      SHOP_CURRENCY: 'USD',
      STRIPE_SECRET_KEY: provider.stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: provider.stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_URL: `${provider.origin}/sandbox/stripe`,
      DATA_DIR: 'file' in place ? place.file.replace(/\/shop\.db$/, '') : folder,
      ...('url' in place ? { DATABASE_URL: place.url } : {}),
    };
    await using shop = await startShop({ settings, place });
    const { db } = shop.database;
    const reconcile = async (...args: string[]) => {
      const run = runCommand(['server/operations/commands/reconcile.ts', ...args], settings);
      const { code, out, err } = await run.ended;
      return {
        code,
        out,
        errors: err
          .split('\n')
          .filter((line) => !line.startsWith('{'))
          .join(''),
      };
    };
    const since = ['--since', new Date(Date.now() - 3_600_000).toISOString()];

    const tom = await shop.signUp();
    const product = await shop.addProduct({ a_quantity: 50 });
    const pay = async () => {
      const order = await placeOrder(shop, tom, product, 2);
      const intent = await openPayment(shop, tom, order);
      await confirmIntent(provider, intent);
      return { order, intent };
    };
    const known = await pay();
    await reportPaid(shop, tom, known.order, known.intent);
    expect(await reconcile(...since)).toMatchObject({
      code: 0,
      out: expect.stringContaining('No difference:'),
    });

    // A restore can lose the success of a payment, the payment, its id, the order, and a refund.
    const unreported = await pay();
    const lost = await pay();
    await db.deleteFrom('payment').where('intent', '=', lost.intent.id).execute();
    const unnamed = await pay();
    await db.updateTable('payment').set({ intent: null }).where('intent', '=', unnamed.intent.id).execute();
    const orphan = await pay();
    await db.deleteFrom('payment').where('intent', '=', orphan.intent.id).execute();
    await shop.client(tom).call('deleteOrder', { params: { id: orphan.order._id } });
    for (const { id } of [known.intent, orphan.intent])
      await requestStripe(provider, 'POST', '/refunds', { payment_intent: id, amount: '100' });

    const readStatus = async (id: string) =>
      (await shop.client(tom).call('getOrder', { params: { id } })).orderStatus;
    const before = await reconcile(...since);
    for (const { intent } of [unreported, lost, unnamed, orphan])
      expect(before.out).toContain(`payment ${intent.id} of`);
    expect(before.out).toContain(`the refunds of payment ${known.intent.id}`);
    expect(before.out).toMatch(
      new RegExp(`refund re_\\w+ of .*, of payment ${orphan.intent.id}, is missing here`),
    );
    expect(before.out).toContain('Differences: 6. To bring');
    expect(await readStatus(unreported.order._id)).toBe('');

    // Two commands run at once, beside the running shop.
    const both = await Promise.all([
      reconcile(...since, '--apply'),
      reconcile(...since, '--apply'),
      shop.doPeriodicWork(),
    ]);
    expect(both.slice(0, 2)).toMatchObject([
      { code: 0, errors: '' },
      { code: 0, errors: '' },
    ]);
    for (const { order } of [unreported, lost, unnamed]) expect(await readStatus(order._id)).toBe('paid');
    const books = await readShop(db);
    const { orderRefunds } = books;
    expect([...auditOrders(books), ...auditRefunds(books)]).toEqual([]);
    expect(orderRefunds.map(({ purchase_id, amount }) => [purchase_id, amount])).toEqual([
      [known.order.purchase, 100],
    ]);
    expect(await db.selectFrom('unknown_payment').select('intent').execute()).toEqual([
      { intent: orphan.intent.id },
    ]);
    const entries = await db
      .selectFrom('audit')
      .select(['actor', 'target', 'name', 'details'])
      .where('action', '=', 'reconcile')
      .execute();
    // The second command may find the payment that the first one has just added, still open.
    expect(entries.find(({ name }) => name === lost.intent.id)).toMatchObject({
      actor: 'the command line',
      target: lost.order.purchase,
      details: expect.stringMatching(/applied \(was payment .* is (missing|open) here\)/),
    });
    expect((await reconcile(...since, '--apply')).out).toContain(
      'Differences: 2. Applied: 0. Left to an admin: 2.',
    );

    for (const wrong of [[], ['--since'], ['--since', 'yesterday'], ['--apply'], [...since, '--aply']])
      expect(await reconcile(...wrong)).toMatchObject({
        code: 1,
        out: '',
        errors: expect.stringMatching(/^Name the time/),
      });
  },
);
