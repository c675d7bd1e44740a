import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { startPaidShop } from '../../../tests/support/paid-purchase.ts';
import { placeOrder, shipParcel } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';

describe.each(engines)('returned pieces on %s', (engine) => {
  test('shipped and refunded pieces return to stock once, and the stock history names their order', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first, pliers } = paid;
    const client = shop.client(admin);
    const params = { id: first._id };
    const record = async (quantity: number, seen?: number) => {
      const { version } = await paid.read(first);
      return client.call('recordReturn', { params, body: { version: seen ?? version, quantity } });
    };
    expect(await catchProblem(record(1))).toMatchObject({
      status: 409,
      errors: [{ field: 'quantity', message: expect.stringContaining('At most 0 pieces') }],
    });
    await paid.refund(first, { amount: 10, quantity: 1 });
    await shipParcel(client, { lines: [{ order: first._id, quantity: 2 }] });
    const { version } = await paid.read(first);
    expect(await record(2)).toEqual({ modifiedCount: 1, version: version + 1 });
    expect(await paid.read(first)).toMatchObject({ returnedQuantity: 2, orderStatus: 'paid' });
    expect(await paid.stock()).toBe(8);
    // A request that is sent twice counts once.
    expect(await catchProblem(record(1, version))).toMatchObject({
      status: 409,
      type: 'urn:problem:purchase_changed',
      data: { version: version + 1 },
    });
    expect(await catchProblem(record(2))).toMatchObject({ status: 409 });
    await record(1);
    expect(await paid.stock()).toBe(9);
    const [latest] = await client.call('listProductStock', { params: { id: pliers._id } });
    expect(latest).toMatchObject({ change: 1, reason: 'return', order: first._id, who: admin.email });
    await paid.checkBooks();
  });

  test('pieces of a refund that the provider has not accepted cannot come back: it may refuse the refund, or return them itself', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, first } = paid;
    const record = async (quantity: number) => {
      const { version } = await paid.read(first);
      const params = { id: first._id };
      return shop.client(admin).call('recordReturn', { params, body: { version, quantity } });
    };
    shop.stripe.fail({ call: 'POST /v1/refunds', how: 'unreachable', times: 2 });
    await paid.refund(first, { amount: 30, quantity: 3, restock: 2 });
    expect(await catchProblem(record(2))).toMatchObject({ status: 409, type: 'urn:problem:conflict' });
    await paid.reconcile();
    expect(await paid.read(first)).toMatchObject({ returnedQuantity: 2, refunds: [{ restock: 2 }] });
    await record(1);
    expect(await paid.stock()).toBe(9);
    await paid.checkBooks();
  });

  test('a parcel whose pieces have come back cannot be taken back, and an unpaid order returns nothing', async () => {
    await using paid = await startPaidShop(engine);
    const { shop, admin, customer, pliers, first } = paid;
    const client = shop.client(admin);
    const parcel = await shipParcel(client, { lines: [{ order: first._id, quantity: 4 }] });
    const { version } = await paid.read(first);
    await client.call('recordReturn', { params: { id: first._id }, body: { version, quantity: 1 } });
    const undo = client.call('undoShipment', { params: { id: parcel } });
    expect(await catchProblem(undo)).toMatchObject({ status: 409, type: 'urn:problem:conflict' });
    const unpaid = await placeOrder(shop, customer, pliers);
    const params = { id: unpaid._id };
    const body = { version: unpaid.version, quantity: 1 };
    expect(await catchProblem(client.call('recordReturn', { params, body }))).toMatchObject({
      status: 409,
      type: 'urn:problem:not_paid',
    });
    await paid.checkBooks();
  });
});
