import { randomUUID } from 'node:crypto';
import type { Purchase } from '../../contract/orders/purchases.ts';
import type { Client } from '../../web/client/api/client.ts';
import { refundOrder as refundLatest, shipParcel } from '../support/payments.ts';
import { attempt, attemptOften } from './attempt.ts';
import { sendWrite } from './customer-actions.ts';
import { allowState, confirmState, isPaid, type KeyedWrite } from './ledger.ts';
import { type Load, pickOrder } from './load.ts';
import type { Random } from './random.ts';

function pickAdmin({ random, admins }: Load): Client {
  const admin = random.pick(admins);
  if (!admin) throw new Error('The load has no admin.');
  return admin;
}

export async function addProduct(load: Load, stock = 50 + load.random.below(200)): Promise<void> {
  const { random, ledger, products } = load;
  const [img = ''] = ledger.images;
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
  const client = pickAdmin(load);
  await sendWrite(ledger, {
    kind: 'addProduct',
    send: async () => (await client.call('addProduct', { body, idempotencyKey })).insertedId,
    onDone(id) {
      ledger.products.set(id, { stock, allowed: new Set(['on-sale']) });
      products.push({ _id: id, price: body.price, o_quantity: body.o_quantity });
    },
  });
}

/** Deletes a product, but none of the demo catalogue. */
export async function deleteProduct(load: Load): Promise<void> {
  const { random, ledger } = load;
  const added = [...ledger.products].filter(([, { allowed, seeded }]) => allowed.has('on-sale') && !seeded);
  const [id, product] = random.pick(added) ?? [];
  if (!id || !product) return;
  product.allowed.add('deleted');
  const remove = () => pickAdmin(load).call('deleteProduct', { params: { id } });
  const deleted = await attempt(ledger, 'deleteProduct', remove);
  if (deleted && 'value' in deleted) product.allowed = new Set(['deleted']);
}

/** Archives a product and restores it. */
export async function archiveProduct(load: Load): Promise<void> {
  const { random, ledger, products } = load;
  const params = { id: random.pick(products)?._id ?? '' };
  const client = pickAdmin(load);
  await attempt(ledger, 'editProduct', async () => {
    const { version } = await client.call('getProduct', { params });
    await client.call('editProduct', { params, body: { version, archived: true } });
    await client.call('editProduct', { params, body: { version: version + 1, archived: false } });
  });
}

/** Records a delivery or a damage, which may exceed the stock. */
export async function adjustStock(load: Load): Promise<void> {
  const { random, ledger, products } = load;
  const product = random.pick(products);
  if (!product) return;
  const isDelivery = random.chance(0.7);
  const change = (1 + random.below(20)) * (isDelivery ? 1 : -1);
  const body = { change, reason: isDelivery ? 'delivery' : 'damage', note: '' } as const;
  const idempotencyKey = randomUUID();
  const params = { id: product._id };
  const client = pickAdmin(load);
  await sendWrite(ledger, {
    kind: 'adjustStock',
    send: async () => (await client.call('adjustStock', { params, body, idempotencyKey })).insertedId,
    onDone: (id) => ledger.stockChanges.set(id, product._id),
    mayBeRejected: (status) =>
      status === 404 && (ledger.products.get(product._id)?.allowed.has('deleted') ?? false),
  });
}

/**
 * Refunds part or all of an order that may be paid, and returns pieces to stock. Sometimes sends two such refunds at once, with
 * different idempotency keys.
 */
export async function refundOrder(load: Load): Promise<void> {
  const { random, ledger } = load;
  const [order, entry] = pickOrder(load, isPaid) ?? [];
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
    const client = pickAdmin(load);
    const write: KeyedWrite = {
      kind: 'refundOrder',
      send: async () =>
        (await refundLatest(client, { params: { id: order }, body, idempotencyKey })).insertedId,
      onDone: (id) => ledger.refunds.set(id, { order, restock }),
      // The shop rejects a refund of all money that leaves pieces to ship.
      mayBeRejected: (status) => status === 422 && write.id === undefined,
    };
    return sendWrite(ledger, write);
  };
  await Promise.all(random.chance(0.3) ? [send(), send()] : [send()]);
}

/** Ships all that is left of an order, or a parcel with one piece, and sometimes takes that parcel back. */
export async function shipOrder(load: Load): Promise<void> {
  const { random, ledger } = load;
  const [id, order] = pickOrder(load, ({ allowed }) => allowed.has('paid')) ?? [];
  if (!id || !order) return;
  allowState(order, 'sipping');
  const client = pickAdmin(load);
  if (order.pieces > 1 && random.chance(0.4)) {
    const lines = [{ order: id, quantity: 1 }];
    const ship = () => shipParcel(client, { lines, idempotencyKey: randomUUID() });
    const shipped = await attempt(ledger, 'shipParcel', ship);
    const params = { id: shipped && 'value' in shipped ? shipped.value : '' };
    if (params.id && id.endsWith('0'))
      await attempt(ledger, 'undoShipment', () => client.call('undoShipment', { params }));
    return;
  }
  const body = { orderStatus: 'sipping' } as const;
  const ship = () => client.call('shipOrder', { params: { id }, body });
  const shipped = await attemptOften(load, 'shipOrder', ship);
  if (shipped && 'value' in shipped) confirmState(ledger, id, 'sipping');
}

/** Does one random task of the order desk (`listDeskCalls`), at times twice at once. */
export async function workAtDesk(load: Load): Promise<void> {
  const { random, ledger } = load;
  const [id = ''] = pickOrder(load, isPaid) ?? [];
  const client = pickAdmin(load);
  const read = await attempt(ledger, 'getPurchase', async () => {
    const { purchase } = await client.call('getOrder', { params: { id } });
    return client.call('getPurchase', { params: { id: purchase } });
  });
  const purchase = read && 'value' in read && read.value.paid ? read.value : undefined;
  const call = purchase && random.pick(listDeskCalls(client, purchase, random));
  if (call) await attemptOften(load, call.name, () => call.send(randomUUID()));
}

type DeskCall = {
  name: 'refund again' | 'settle' | 'return' | 'assign' | 'refund all';
  send: (idempotencyKey?: string) => Promise<unknown>;
};

const toCents = (amount: number): number => Math.round(amount * 100);

/**
 * The calls that an admin who has just read a paid purchase can make: refund the amount of a failed refund again, settle it
 * without a refund, record pieces that have come back, assign a refund made at the provider, or refund all that is left.
 */
function listDeskCalls(client: Client, purchase: Purchase, random: Random): DeskCall[] {
  const { _id: id, version, orders, unassignedRefunds = [] } = purchase;
  const calls: DeskCall[] = [];
  const owed = new Map<string, { order: string; cents: number }>();
  for (const order of orders)
    for (const refund of order.refunds ?? []) {
      const { cents = 0 } = owed.get(refund._id) ?? {};
      if (refund.owed !== undefined)
        owed.set(refund._id, { order: order._id, cents: cents + toCents(refund.owed) });
    }
  for (const [refund, { order, cents }] of owed) {
    const outcome = random.chance(0.5) ? 'repaid' : 'nothing_owed';
    const body = { version, amount: cents / 100, quantity: 0, restock: 0, reason: 'other' } as const;
    calls.push(
      {
        name: 'refund again',
        send: (idempotencyKey) =>
          client.call('refundOrder', {
            params: { id: order },
            body: { ...body, replaces: refund },
            idempotencyKey,
          }),
      },
      {
        name: 'settle',
        send: () => client.call('settleRefund', { params: { id: refund }, body: { outcome } }),
      },
    );
  }
  for (const { _id, removedQuantity = 0, shippedQuantity = 0, returnedQuantity = 0 } of orders)
    if (removedQuantity + shippedQuantity > returnedQuantity)
      calls.push({
        name: 'return',
        send: () => client.call('recordReturn', { params: { id: _id }, body: { version, quantity: 1 } }),
      });
  for (const { _id, amount } of unassignedRefunds) {
    const lines = splitAmount(purchase, amount);
    const isCovered = lines.reduce((sum, line) => sum + toCents(line.amount), 0) === toCents(amount);
    const request = { params: { id: _id }, body: { version, lines } };
    if (isCovered) calls.push({ name: 'assign', send: () => client.call('assignRefund', request) });
  }
  if (orders.some(({ price, refunded, owed = 0 }) => refunded + owed < price)) {
    const body = { version, reason: 'other', restock: random.chance(0.5) } as const;
    calls.push({
      name: 'refund all',
      send: (idempotencyKey) => client.call('refundPurchase', { params: { id }, body, idempotencyKey }),
    });
  }
  return calls;
}

/** Splits an amount: each order in turn gets as much as can still be refunded of it. */
function splitAmount({ orders }: Purchase, amount: number) {
  let left = toCents(amount);
  return orders.flatMap(({ _id: order, price, refunded }) => {
    const cents = Math.min(left, toCents(price) - toCents(refunded));
    left -= cents;
    return cents > 0 ? [{ order, amount: cents / 100, quantity: 0, restock: 0 }] : [];
  });
}
