import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buy, placeOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';

const secret = 'Sounded drunk on the telephone.';

describe.concurrent.each(engines)('on %s', (engine) => {
  test('admins see the notes about an order; its owner sees them in no response and on no page', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom] = [await shop.admin(), await shop.signUp()];
    const { order } = await buy(shop, tom, await shop.addProduct());
    const params = { id: order._id };
    const admin = shop.client(ada);
    const note = { params, body: { text: secret }, idempotencyKey: 'once' };
    const { insertedId } = await admin.call('addOrderNote', note);
    expect(await admin.call('addOrderNote', note)).toEqual({ insertedId });
    await admin.call('addOrderNote', { params, body: { text: 'Rang back.' } });
    const expected = [
      { _id: expect.any(String), text: 'Rang back.', who: ada.email, createdAt: expect.any(String) },
      { _id: insertedId, text: secret, who: ada.email, createdAt: expect.any(String) },
    ];
    expect((await admin.call('getOrder', { params })).notes).toEqual(expected);
    const purchase = { params: { id: order.number } };
    expect((await admin.call('getPurchase', purchase)).notes).toEqual(expected);

    const headers = tokenHeaders(tom);
    const query = { user: tom.email };
    const calls = [
      await sendCall(shop, 'getOrder', { params, headers }),
      await sendCall(shop, 'getPurchase', { ...purchase, headers }),
      await sendCall(shop, 'listOwnOrders', { query, headers }),
      await shop.send(`/dashboard/orders/${order.number}`, {}, tom),
      await shop.send('/dashboard/myOrder', {}, tom),
    ];
    for (const response of calls) {
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).not.toContain(secret);
      expect(text).not.toContain('"notes"');
      expect(text).not.toContain(ada.email);
    }
    expect(await (await shop.send(`/dashboard/orders/${order.number}`, {}, ada)).text()).toContain(secret);
    expect(await catchProblem(shop.client(tom).call('addOrderNote', note))).toMatchObject({ status: 403 });

    const log = await admin.call('listAudit', { query: { target: order._id } });
    expect(log.map(({ action, number }) => [action, number])).toEqual([
      ['addNote', order.number],
      ['addNote', order.number],
    ]);
    // The log cannot be corrected, so it does not repeat the text.
    expect(JSON.stringify(log)).not.toContain(secret);
  });

  test('a note has a maximum length, and is deleted with its purchase', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom] = [await shop.admin(), await shop.signUp()];
    const { _id: id } = await placeOrder(shop, tom, await shop.addProduct());
    const admin = shop.client(ada);
    const add = (text: string) => admin.call('addOrderNote', { params: { id }, body: { text } });
    expect(await catchProblem(add('  '))).toMatchObject({ status: 422 });
    expect(await catchProblem(add('n'.repeat(2001)))).toMatchObject({ status: 422 });
    await add('n'.repeat(2000));
    const count = async () => (await shop.database.db.selectFrom('order_note').select('id').execute()).length;
    expect(await count()).toBe(1);
    await shop.client(tom).call('deleteOrder', { params: { id } });
    expect(await count()).toBe(0);
    expect(await catchProblem(add('Too late.'))).toMatchObject({ status: 404 });
  });

  test('adding a note while its purchase is deleted leaves no note without a purchase', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const product = await shop.addProduct({ a_quantity: 50 });
    for (let round = 0; round < 10; round++) {
      const { _id: id } = await placeOrder(shop, tom, product);
      const add = () => admin.call('addOrderNote', { params: { id }, body: { text: 'At once.' } });
      const remove = () => shop.client(tom).call('deleteOrder', { params: { id } });
      // The request that starts first reaches the database first.
      const started = round % 2 ? [remove(), add(), add()] : [add(), remove(), add()];
      for (const outcome of await Promise.allSettled(started))
        if (outcome.status === 'rejected')
          expect(await catchProblem(Promise.reject(outcome.reason))).toMatchObject({ status: 404 });
      expect(await shop.database.db.selectFrom('order_line').select('id').execute()).toEqual([]);
      expect(await shop.database.db.selectFrom('order_note').selectAll().execute()).toEqual([]);
    }
  });
});
