import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { Product } from '../../contract/catalogue/products.ts';
import {
  allowState,
  type Customer,
  confirmState,
  type KeyedWrite,
  type Ledger,
  type OrderEntry,
} from './ledger.ts';
import type { Random } from './random.ts';
import { attempt, authenticate, createClientAt, randomAddress, throwIfRejected } from './requests.ts';

/** Where to send requests, random choices, the ledger, the products to order, and the stand-in's secret key. */
export type LoadContext = {
  origin: string;
  random: Random;
  ledger: Ledger;
  products: OrderableProduct[];
  secretKey: string;
  /** Where that stand-in is, unless the shop serves it. */
  providerOrigin?: string;
};
type OrderableProduct = Pick<Product, '_id' | 'price' | 'o_quantity'>;

export async function signUpCustomer({ origin, random, ledger }: LoadContext): Promise<void> {
  const email = `${randomUUID()}@example.com`;
  const address = randomAddress(random);
  const credentials = { name: 'Tom Graham', email, password: 'anchor-escapement' };
  const signedUp = await attempt(ledger, () => authenticate(origin, address, 'sign-up', credentials));
  if (!signedUp || 'rejected' in signedUp) return;
  const token = signedUp.value;
  ledger.customers.push({
    email,
    token,
    client: createClientAt(origin, address, token),
    profile: { pending: [] },
  });
}

export async function placeRandomOrder(
  { random, ledger, products }: LoadContext,
  customer: Customer,
): Promise<void> {
  const product = random.pick(products);
  if (!product) return;
  const pieces = product.o_quantity + random.below(3);
  const price = Math.round(product.price * 100 * pieces) / 100;
  const idempotencyKey = randomUUID();
  await sendWrite(ledger, {
    kind: 'order',
    send: async () =>
      (
        await customer.client.call('placeOrder', {
          body: { orderId: product._id, orderQuantity: pieces, price, user: customer.email },
          idempotencyKey,
        })
      ).insertedId,
    onDone: (id) => ledger.orders.set(id, { customer, product: product._id, pieces, price, ...newOrder() }),
  });
}

const newOrder = (): Pick<OrderEntry, 'allowed' | 'intents'> => ({
  allowed: new Set(['']),
  intents: new Set(),
});

/** Orders up to four products at once; several customers compete for the last pieces of the same ones. */
export async function placeRandomPurchase(
  { random, ledger, products }: LoadContext,
  customer: Customer,
): Promise<void> {
  const chosen = new Set(Array.from({ length: 4 }, () => random.pick(products)));
  const lines = [...chosen].flatMap((product) => {
    if (!product) return [];
    const pieces = product.o_quantity + random.below(3);
    return [{ product: product._id, pieces, price: Math.round(product.price * 100 * pieces) / 100 }];
  });
  const body = {
    lines: lines.map(({ product, pieces }) => ({ orderId: product, orderQuantity: pieces })),
    price: lines.reduce((cents, { price }) => cents + Math.round(price * 100), 0) / 100,
  };
  const idempotencyKey = randomUUID();
  let orders: string[] = [];
  await sendWrite(ledger, {
    kind: 'purchase',
    async send() {
      const placed = await customer.client.call('placePurchase', { body, idempotencyKey });
      // A later response lacks orders that have been deleted meanwhile.
      if (orders.length === 0) orders = placed.orders;
      return placed.insertedId;
    },
    onDone: (purchase) => {
      for (const [at, id] of orders.entries()) {
        const line = lines[at];
        if (line) ledger.orders.set(id, { customer, purchase, ...line, ...newOrder() });
      }
    },
  });
}

/** Sends a write for the first time. Without a response, it stays in the ledger without an id. */
export async function sendWrite(ledger: Ledger, write: KeyedWrite): Promise<void> {
  ledger.writes.push(write);
  const done = await attempt(ledger, write.send);
  if (!done) return;
  if ('rejected' in done) {
    ledger.writes.splice(ledger.writes.indexOf(write), 1);
    return;
  }
  write.id = done.value;
  write.onDone(done.value);
}

/** Repeats a confirmed write with the same idempotency key. */
export async function repeatWrite({ random, ledger }: LoadContext): Promise<void> {
  const write = random.pick(ledger.writes.filter(({ id }) => id !== undefined));
  if (!write) return;
  const repeated = await attempt(ledger, write.send);
  if (!repeated) return;
  const isGone = 'rejected' in repeated && repeated.rejected === 404 && write.mayBeGone?.();
  // A refund is confirmed while the provider is unreachable, which may refuse it afterwards, as after a dispute.
  const isRefused = 'rejected' in repeated && repeated.rejected === 402 && write.kind === 'refund';
  if (isRefused && write.id) ledger.refusedRefunds.add(write.id);
  if (!isGone && !isRefused && !('value' in repeated && repeated.value === write.id))
    ledger.violations.push(`a repeated ${write.kind} gave ${JSON.stringify(repeated)}, not ${write.id}`);
}

/** Cards that are charged; their refunds can be late or fail, and some customers dispute the payment. */
const goodCards = [
  ...Array.from({ length: 6 }, () => 'pm_card_visa'),
  'pm_card_pendingRefund',
  'pm_card_refundFail',
  'pm_card_createDispute',
];

/** Pays an order, sometimes with a declined card, and sometimes without reporting the payment to the shop. */
export async function payOrder(context: LoadContext, customer: Customer): Promise<void> {
  const { random, ledger, providerOrigin = context.origin } = context;
  const [id, order] = pickUnpaidOrder(context, customer);
  if (!id || !order) return;
  const { purchase } = order;
  const together = purchase
    ? [...ledger.orders.values()].filter((other) => other.purchase === purchase)
    : [order];
  const opened = await attempt(ledger, async () => {
    if (!purchase)
      return customer.client.call('createPaymentIntent', { body: { price: order.price, order: id } });
    const { price } = await customer.client.call('getPurchase', { params: { id: purchase } });
    return customer.client.call('createPaymentIntent', { body: { price, purchase } });
  });
  if (!opened || 'rejected' in opened) return;
  const { clientSecret } = opened.value;
  const transactionId = clientSecret.replace(/_secret_.*/, '');
  const declined = random.chance(0.2);
  if (!declined)
    for (const other of together) {
      allowState(other, 'paid');
      other.intents.add(transactionId);
    }
  const card = declined ? 'pm_card_chargeDeclined' : (random.pick(goodCards) ?? '');
  const confirmed = await attempt(ledger, async () => {
    const response = await fetch(
      `${providerOrigin}/sandbox/stripe/v1/payment_intents/${transactionId}/confirm`,
      {
        method: 'POST',
        body: new URLSearchParams({
          key: 'pk_test_torture',
          client_secret: clientSecret,
          payment_method: card,
        }),
      },
    );
    await throwIfRejected(response);
  });
  if (!confirmed || 'rejected' in confirmed || declined || random.chance(0.2)) return;
  const reported = await attempt(ledger, () =>
    customer.client.call('markOrderPaid', {
      params: { id },
      body: { order: id, transactionId, orderStatus: 'paid' },
    }),
  );
  if (reported && 'value' in reported) confirmState(ledger, id, 'paid');
}

/** Deletes an order that may be unpaid, even while it is being paid. */
export async function deleteOrder(context: LoadContext, customer: Customer): Promise<void> {
  const [id, order] = pickUnpaidOrder(context, customer);
  if (!id || !order) return;
  allowState(order, 'deleted');
  const deleted = await attempt(context.ledger, () =>
    customer.client.call('deleteOrder', { params: { id } }),
  );
  if (deleted && 'value' in deleted) confirmState(context.ledger, id, 'deleted');
}

function pickUnpaidOrder({ random, ledger }: LoadContext, customer: Customer) {
  const unpaid = [...ledger.orders].filter(
    ([, { customer: owner, allowed }]) => owner === customer && (allowed.has('') || allowed.has('expired')),
  );
  return random.pick(unpaid) ?? [];
}

export async function uploadImage(
  { origin, random, ledger }: LoadContext,
  customer: Customer,
): Promise<void> {
  const background = { r: random.below(256), g: random.below(256), b: random.below(256) };
  const image = await sharp({ create: { width: 24, height: 24, channels: 3, background } })
    .png()
    .toBuffer();
  const uploaded = await attempt(ledger, async () => {
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(image)]), 'image.png');
    const headers = { authorization: `Bearer ${customer.token}` };
    const response = await fetch(`${origin}/1/upload?key=`, { method: 'POST', headers, body: form });
    await throwIfRejected(response);
    const { data }: { data: { url: string } } = await response.json();
    return data.url;
  });
  if (uploaded && 'value' in uploaded) ledger.images.push(uploaded.value);
}

export async function addReview({ random, ledger }: LoadContext, customer: Customer): Promise<void> {
  const img = random.pick(ledger.images);
  if (!img) return;
  const body = { rating: 1 + random.below(5), reviews: 'It keeps time.', img };
  const idempotencyKey = randomUUID();
  await sendWrite(ledger, {
    kind: 'review',
    send: async () => (await customer.client.call('addReview', { body, idempotencyKey })).insertedId,
    onDone: (id) => ledger.reviews.add(id),
  });
}

export async function saveProfile({ ledger }: LoadContext, customer: Customer): Promise<void> {
  const { email, client, profile } = customer;
  // The order of two concurrent writes would be unknown.
  if (profile.pending.length > 0) return;
  const sent = { address: randomUUID(), phone: '0123', education: 'Horology', linkedIn: 'tom' };
  profile.pending = [sent];
  const saved = await attempt(ledger, () => client.call('saveUser', { params: { email }, body: sent }));
  if (!saved) return;
  profile.pending = [];
  if ('value' in saved) profile.saved = sent;
}
