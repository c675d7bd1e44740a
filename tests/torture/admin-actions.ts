import { randomUUID } from 'node:crypto';
import type { Client } from '../../web/client/api/client.ts';
import { refundOrder as refundLatest, shipParcel } from '../support/payments.ts';
import { listDeskCalls } from '../support/refund-desk.ts';
import { type LoadContext, sendWrite } from './customer-actions.ts';
import { allowState, confirmState } from './ledger.ts';
import { attempt } from './requests.ts';

export async function addProduct(
  { random, ledger, products }: LoadContext,
  client: Client,
  img: string,
): Promise<void> {
  const stock = 50 + random.below(200);
  const body = {
    name: 'Pivot Gauge',
    email: 'admin@example.com',
    price: 12.5,
    o_quantity: 1 + random.below(3),
    a_quantity: stock,
    description: 'Measures pivots.',
    img,
  };
  const idempotencyKey = randomUUID();
  await sendWrite(ledger, {
    kind: 'product',
    send: async () => (await client.call('addProduct', { body, idempotencyKey })).insertedId,
    onDone(id) {
      ledger.products.set(id, { stock, allowed: new Set(['on-sale']) });
      products.push({ _id: id, price: body.price, o_quantity: body.o_quantity });
    },
  });
}

/** Deletes a product, but none of the demo catalogue. */
export async function deleteProduct({ random, ledger }: LoadContext, client: Client): Promise<void> {
  const added = [...ledger.products].filter(([, { allowed, seeded }]) => allowed.has('on-sale') && !seeded);
  const [id, product] = random.pick(added) ?? [];
  if (!id || !product) return;
  product.allowed.add('deleted');
  const deleted = await attempt(ledger, () => client.call('deleteProduct', { params: { id } }));
  if (deleted && 'value' in deleted) product.allowed = new Set(['deleted']);
}

/** Records a delivery or a damage, which may exceed the stock. */
export async function adjustStock({ random, ledger, products }: LoadContext, client: Client): Promise<void> {
  const product = random.pick(products);
  if (!product) return;
  const isDelivery = random.chance(0.7);
  const change = (1 + random.below(20)) * (isDelivery ? 1 : -1);
  const body = { change, reason: isDelivery ? 'delivery' : 'damage', note: '' } as const;
  const idempotencyKey = randomUUID();
  const params = { id: product._id };
  await sendWrite(ledger, {
    kind: 'stock change',
    send: async () => (await client.call('adjustStock', { params, body, idempotencyKey })).insertedId,
    onDone: (id) => ledger.stockChanges.set(id, product._id),
    mayBeGone: () => ledger.products.get(product._id)?.allowed.has('deleted') ?? false,
  });
}

/**
 * Refunds part or all of an order that may be paid, and returns pieces to stock; sometimes twice at once, with a key each.
 */
export async function refundOrder({ random, ledger }: LoadContext, client: Client): Promise<void> {
  const refundable = [...ledger.orders].filter(
    ([, { allowed }]) => allowed.has('paid') || allowed.has('sipping'),
  );
  const [order, entry] = random.pick(refundable) ?? [];
  if (!order || !entry) return;
  const amount = (1 + random.below(Math.round(entry.price * 100))) / 100;
  const restock = random.below(entry.pieces + 1);
  const quantity = restock + random.below(entry.pieces - restock + 1);
  // A replay must have the same body, so nothing is left to the defaults.
  const part = random.chance(0.7)
    ? { amount, quantity, stillSend: random.chance(0.1) }
    : { amount: entry.price, quantity: entry.pieces };
  const body = { reason: 'other', restock, ...part } as const;
  const send = () => {
    const idempotencyKey = randomUUID();
    return sendWrite(ledger, {
      kind: 'refund',
      send: async () =>
        (await refundLatest(client, { params: { id: order }, body, idempotencyKey })).insertedId,
      onDone: (id) => ledger.refunds.set(id, { order, restock }),
    });
  };
  await Promise.all(random.chance(0.3) ? [send(), send()] : [send()]);
}

/** Settles what is owed, assigns refunds, records returned pieces, or refunds all that is left of a purchase. */
export async function workAtDesk({ random, ledger }: LoadContext, client: Client): Promise<void> {
  const paid = [...ledger.orders].filter(([, { allowed }]) => allowed.has('paid') || allowed.has('sipping'));
  const [order = ''] = random.pick(paid) ?? [];
  const read = await attempt(ledger, async () => {
    const { purchase } = await client.call('getOrder', { params: { id: order } });
    return client.call('getPurchase', { params: { id: purchase } });
  });
  const purchase = read && 'value' in read && read.value.paid ? read.value : undefined;
  const call = purchase && random.pick(listDeskCalls(client, purchase, random));
  if (call) await attempt(ledger, () => call.send(randomUUID()));
}

export async function shipOrder({ random, ledger }: LoadContext, client: Client): Promise<void> {
  const [id, order] = random.pick([...ledger.orders].filter(([, { allowed }]) => allowed.has('paid'))) ?? [];
  if (!id || !order) return;
  allowState(order, 'sipping');
  if (order.pieces > 1 && random.chance(0.4)) return shipPiece(ledger, client, id);
  const shipped = await attempt(ledger, () =>
    client.call('shipOrder', { params: { id }, body: { orderStatus: 'sipping' } }),
  );
  if (shipped && 'value' in shipped) confirmState(ledger, id, 'sipping');
}

/** Ships one piece, perhaps the last, and sometimes takes it back. */
async function shipPiece(ledger: LoadContext['ledger'], client: Client, order: string): Promise<void> {
  const lines = [{ order, quantity: 1 }];
  const shipped = await attempt(ledger, () => shipParcel(client, { lines, idempotencyKey: randomUUID() }));
  if (shipped && 'value' in shipped && order.endsWith('0'))
    await attempt(ledger, () => client.call('undoShipment', { params: { id: shipped.value } }));
}
