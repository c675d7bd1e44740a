import { expect, test } from 'vitest';
import { confirmIntent, openPayment, placeOrder } from '../support/payments.ts';
import { readText } from './page-text.ts';
import { openPath, openStage } from './stage.ts';

test('All Orders lists payments that the shop does not know; with and without scripts, an admin uses one to pay its order, or dismisses one', async () => {
  const stage = await openStage({ demo: false });
  try {
    const { shop } = stage;
    const { db } = shop.database;
    await shop.stripe.close();
    const tom = await shop.signUp();
    const order = await placeOrder(shop, tom, await shop.addProduct());
    const intent = await openPayment(shop, tom, order);
    await confirmIntent(shop, intent);
    await db.deleteFrom('payment').execute();
    const unknown = { amount: 1250, currency: 'USD', outcome: '' as const, seen_at: 0 };
    await db
      .insertInto('unknown_payment')
      .values([
        { ...unknown, intent: intent.id, purchase_id: order.purchase, number: order.number },
        { ...unknown, intent: 'pi_lost', amount: 700, purchase_id: 'before', number: '' },
      ])
      .execute();
    const ada = await shop.admin();
    const plain = await stage.open({ as: ada, javaScriptEnabled: false, expected: [/status of 402/] });
    await plain.goto('/dashboard/allOrders');
    const text = await readText(plain.getByRole('main'));
    expect(text).toContain('These payments are missing from the shop’s database');
    expect(text).toContain('USD 7.00 · pi_lost · 01 Jan 1970, 00:00 UTC');
    expect(text).toContain(`Order ${order.number} · USD 12.50 · ${intent.id} · `);
    await plain.getByRole('button', { name: 'Pay the order with it pi_lost' }).click();
    await plain.getByText('refused').waitFor();
    await plain.getByRole('button', { name: `Pay the order with it ${intent.id}` }).click();
    await plain.getByText('The payment is settled.').waitFor();
    expect(await shop.client(tom).call('getOrder', { params: { id: order._id } })).toMatchObject({
      orderStatus: 'paid',
      transactionId: intent.id,
    });

    const page = await stage.open({ as: ada });
    await openPath(page, '/dashboard/allOrders');
    await page.getByRole('button', { name: 'Dismiss pi_lost' }).click();
    await page.getByRole('status').getByText('The payment is settled.').waitFor();
    await page.getByText('missing from the shop’s database').waitFor({ state: 'detached' });
    const entries = await shop.client(ada).call('listAudit', {});
    expect(entries.map(({ action, name }) => [action, name]).slice(0, 2)).toEqual([
      ['settlePayment', 'pi_lost'],
      ['settlePayment', intent.id],
    ]);
  } finally {
    await stage.close();
  }
});
