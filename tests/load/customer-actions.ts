import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { throwIfRejected } from '../support/shop-client.ts';
import { attempt, attemptOften, type Outcome } from './attempt.ts';
import {
  allowState,
  type Customer,
  confirmState,
  type KeyedWrite,
  type Ledger,
  type OrderEntry,
} from './ledger.ts';
import { type Load, pickCustomer, pickOrder, signUpCustomer } from './load.ts';
import { callProvider } from './provider-actions.ts';

/** Orders up to four products at once; several customers compete for the last pieces of the same ones. */
export async function placeBasket(load: Load, customer = pickCustomer(load)): Promise<void> {
  const { random, products, ledger } = load;
  const chosen = new Set(Array.from({ length: 4 }, () => random.pick(products)));
  const lines = [...chosen].flatMap((product) => {
    if (!product) return [];
    const pieces = product.o_quantity + random.below(3);
    return [{ product: product._id, pieces, price: Math.round(product.price * 100 * pieces) / 100 }];
  });
  if (!customer || lines.length === 0) return;
  const body = {
    lines: lines.map(({ product, pieces }) => ({ orderId: product, orderQuantity: pieces })),
    price: lines.reduce((cents, { price }) => cents + Math.round(price * 100), 0) / 100,
  };
  const idempotencyKey = randomUUID();
  let orders: string[] = [];
  await sendWrite(ledger, {
    kind: 'placePurchase',
    async send() {
      const placed = await customer.client.call('placePurchase', { body, idempotencyKey });
      // Use the first response: a replay lacks orders that have been deleted meanwhile.
      if (orders.length === 0) orders = placed.orders;
      return placed.insertedId;
    },
    onDone: (purchase) => {
      for (const [index, id] of orders.entries()) {
        const line = lines[index];
        if (line) ledger.orders.set(id, { purchase, ...line, ...createOrderEntry(customer) });
      }
    },
    mayBeRejected: isRejectedWhileLeaving(customer),
  });
}

export async function placeOrder(load: Load, customer = pickCustomer(load)): Promise<void> {
  const { random, products, ledger } = load;
  const product = random.pick(products);
  if (!customer || !product) return;
  const pieces = product.o_quantity + random.below(3);
  const price = Math.round(product.price * 100 * pieces) / 100;
  const body = { orderId: product._id, orderQuantity: pieces, price, user: customer.email };
  const idempotencyKey = randomUUID();
  await sendWrite(ledger, {
    kind: 'placeOrder',
    send: async () => (await customer.client.call('placeOrder', { body, idempotencyKey })).insertedId,
    onDone: (id) =>
      ledger.orders.set(id, { product: product._id, pieces, price, ...createOrderEntry(customer) }),
    mayBeRejected: isRejectedWhileLeaving(customer),
  });
}

const createOrderEntry = (customer: Customer): Pick<OrderEntry, 'customer' | 'allowed' | 'intents'> => ({
  customer,
  allowed: new Set(customer.isLeaving ? ['', 'deleted'] : ['']),
  intents: new Set(),
});

/** Requests fail with 401 once the account is deleted. */
const isRejectedWhileLeaving = (customer: Customer) => (status: number) =>
  status === 401 && customer.isLeaving;

/**
 * Sends a write. With outages, repeats it until there is a response. Otherwise, a write without a response stays in the ledger
 * without an id.
 */
export async function sendWrite(ledger: Ledger, write: KeyedWrite): Promise<void> {
  ledger.writes.push(write);
  while (!(await send(ledger, write)) && ledger.hasOutages && write.id === undefined) await setImmediate();
}

async function send(ledger: Ledger, write: KeyedWrite): Promise<Outcome<string>> {
  write.pending = (write.pending ?? 0) + 1;
  const outcome = await attempt(ledger, write.kind, write.send, write.mayBeRejected);
  write.pending -= 1;
  if (!outcome || write.id !== undefined) return outcome;
  if ('value' in outcome) {
    write.id = outcome.value;
    write.onDone(outcome.value);
  } else if (write.pending === 0) {
    const at = ledger.writes.indexOf(write);
    if (at !== -1) ledger.writes.splice(at, 1);
  }
  return outcome;
}

/** Repeats a write with the same idempotency key, whether it was confirmed, got no response or is still in progress. */
export async function repeatWrite({ random, ledger }: Load): Promise<void> {
  const write = random.pick(ledger.writes);
  if (!write) return;
  const wasConfirmed = write.id !== undefined;
  const outcome = await send(ledger, write);
  if (!outcome || !wasConfirmed || ('value' in outcome && outcome.value === write.id)) return;
  if ('rejected' in outcome && write.mayBeRejected?.(outcome.rejected)) return;
  // While the provider is unreachable, the shop confirms a refund. The provider may refuse it later, for example after a dispute.
  const isRefused = 'rejected' in outcome && outcome.rejected === 402 && write.kind === 'refundOrder';
  if (isRefused && write.id) ledger.refusedRefunds.add(write.id);
  else ledger.violations.push(`a repeated ${write.kind} gave ${JSON.stringify(outcome)}, not ${write.id}`);
}

/** Cards that are charged; their refunds can be late or fail, and some customers dispute the payment. */
const goodCards = [
  ...Array.from({ length: 6 }, () => 'pm_card_visa'),
  'pm_card_pendingRefund',
  'pm_card_refundFail',
  'pm_card_createDispute',
];

/** Pays an order, sometimes with a declined card, and sometimes without reporting the payment to the shop. */
export async function payOrder(load: Load): Promise<void> {
  const { random, ledger } = load;
  const [id, order] = pickUnpaidOrder(load) ?? [];
  if (!id || !order) return;
  const { purchase, customer } = order;
  const together = purchase
    ? [...ledger.orders.values()].filter((other) => other.purchase === purchase)
    : [order];
  const isExpected = isRejectedWhileLeaving(customer);
  const openPayment = async () => {
    if (!purchase)
      return customer.client.call('createPaymentIntent', { body: { price: order.price, order: id } });
    const { price } = await customer.client.call('getPurchase', { params: { id: purchase } });
    return customer.client.call('createPaymentIntent', { body: { price, purchase } });
  };
  const opened = await attemptOften(load, 'createPaymentIntent', openPayment, isExpected);
  if (!opened || 'rejected' in opened) return;
  const transactionId = opened.value.clientSecret.replace(/_secret_.*/, '');
  const declined = random.chance(0.2);
  if (!declined)
    for (const other of together) {
      allowState(other, 'paid');
      other.intents.add(transactionId);
    }
  const card = declined ? 'pm_card_chargeDeclined' : (random.pick(goodCards) ?? '');
  const form = { payment_method: card, return_url: 'http://localhost/' };
  const confirmed = await callProvider(load, `/payment_intents/${transactionId}/confirm`, form);
  if (!confirmed || declined || random.chance(0.2)) return;
  const params = { id };
  const body = { order: id, transactionId, orderStatus: 'paid' } as const;
  const report = () => customer.client.call('markOrderPaid', { params, body });
  const reported = await attemptOften(load, 'markOrderPaid', report, isExpected);
  if (reported && 'value' in reported) confirmState(ledger, id, 'paid');
}

/** Deletes an order that may be unpaid, even while it is being paid. An admin may delete it, too. */
export async function deleteOrder(load: Load): Promise<void> {
  const { random, ledger, admins } = load;
  const [id, order] = pickUnpaidOrder(load) ?? [];
  if (!id || !order) return;
  allowState(order, 'deleted');
  const client = random.chance(0.8) ? order.customer.client : random.pick(admins);
  const remove = async () => client?.call('deleteOrder', { params: { id } });
  const deleted = await attemptOften(load, 'deleteOrder', remove, isRejectedWhileLeaving(order.customer));
  if (deleted && 'value' in deleted) confirmState(ledger, id, 'deleted');
}

function pickUnpaidOrder(load: Load) {
  const customer = pickCustomer(load);
  return pickOrder(
    load,
    (order) => order.customer === customer && (order.allowed.has('') || order.allowed.has('expired')),
  );
}

export async function uploadImage(load: Load): Promise<void> {
  const { random, ledger } = load;
  const customer = pickCustomer(load);
  if (!customer) return;
  const background = { r: random.below(256), g: random.below(256), b: random.below(256) };
  const image = await sharp({ create: { width: 24, height: 24, channels: 3, background } })
    .png()
    .toBuffer();
  const uploaded = await attempt(ledger, 'upload', async () => {
    const body = new FormData();
    body.set('image', new Blob([new Uint8Array(image)]), 'image.png');
    const response = await customer.shop.send('/1/upload?key=', { method: 'POST', body }, customer);
    await throwIfRejected(response);
    const { data }: { data: { url: string } } = await response.json();
    return data.url;
  });
  if (uploaded && 'value' in uploaded) ledger.images.push(uploaded.value);
}

export async function addReview(load: Load): Promise<void> {
  const { random, ledger } = load;
  const customer = pickCustomer(load);
  const img = random.pick(ledger.images);
  if (!customer || !img) return;
  const body = { rating: 1 + random.below(5), reviews: 'It keeps time.', img };
  const idempotencyKey = randomUUID();
  await sendWrite(ledger, {
    kind: 'addReview',
    send: async () => (await customer.client.call('addReview', { body, idempotencyKey })).insertedId,
    onDone: (id) => ledger.reviews.add(id),
    mayBeRejected: isRejectedWhileLeaving(customer),
  });
}

export async function saveProfile(load: Load): Promise<void> {
  const customer = pickCustomer(load);
  // The order of two concurrent writes would be unknown.
  if (!customer || customer.profile.pending.length > 0) return;
  const { email, client, profile } = customer;
  const sent = { address: randomUUID(), phone: '0123', education: 'Horology', linkedIn: 'tom' };
  profile.pending = [sent];
  const save = () => client.call('saveUser', { params: { email }, body: sent });
  const saved = await attempt(load.ledger, 'saveUser', save, isRejectedWhileLeaving(customer));
  if (!saved) return;
  profile.pending = [];
  if ('value' in saved) profile.saved = sent;
}

const pages = ['/', '/products', '/dashboard', '/dashboard/myOrder', '/api/reviews'];

export async function readPage(load: Load): Promise<void> {
  const { random, ledger } = load;
  const customer = pickCustomer(load);
  const path = random.pick(pages) ?? '';
  await attempt(ledger, 'readPage', async () => {
    const response = await customer?.shop.send(path, {}, customer);
    if (!response) return;
    await throwIfRejected(response);
    if ((await response.text()) === '') ledger.violations.push(`${path} is empty`);
  });
}

/** Deletes the account of a customer who is ordering at the same time. Another one signs up. */
export async function deleteAccount(load: Load): Promise<void> {
  const { ledger } = load;
  const customer = pickCustomer(load);
  if (!customer) return;
  const { email, password, client } = customer;
  customer.isLeaving = true;
  for (const order of ledger.orders.values()) if (order.customer === customer) allowState(order, 'deleted');
  const remove = () => client.call('deleteUser', { params: { email }, body: { password } });
  const [deleted] = await Promise.all([
    attempt(ledger, 'deleteUser', remove),
    placeBasket(load, customer),
    placeOrder(load, customer),
    signUpCustomer(load),
  ]);
  customer.isGone = deleted !== undefined && 'value' in deleted;
  if (!customer.isGone) customer.isLeaving = false;
}
