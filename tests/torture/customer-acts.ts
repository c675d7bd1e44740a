import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { Product } from '../../contract/products.ts';
import { anyAddress, attempt, clientOf, enter, throwRefusal } from './asking.ts';
import type { Chance } from './chance.ts';
import { type Customer, type KeyedWrite, type Ledger, mayBecome, settleOrder } from './ledger.ts';

/** Everything that somebody needs to act on the shop. */
export type Stage = { origin: string; chance: Chance; ledger: Ledger; products: Ordered[] };
/** What one has to know of a product to order it. */
type Ordered = Pick<Product, '_id' | 'price' | 'o_quantity'>;

export async function signUp({ origin, chance, ledger }: Stage): Promise<void> {
  const email = `${randomUUID()}@example.com`;
  const address = anyAddress(chance);
  const who = { name: 'Tom Graham', email, password: 'anchor-escapement' };
  const entered = await attempt(ledger, () => enter(origin, address, 'sign-up', who));
  if (!entered || 'refused' in entered) return;
  const token = entered.answer;
  ledger.customers.push({
    email,
    token,
    client: clientOf(origin, address, token),
    profile: { asked: [] },
  });
}

export async function order({ chance, ledger, products }: Stage, customer: Customer): Promise<void> {
  const product = chance.pick(products);
  if (!product) return;
  const pieces = product.o_quantity + chance.below(3);
  const price = Math.round(product.price * 100 * pieces) / 100;
  const idempotencyKey = randomUUID();
  await writeOnce(ledger, {
    what: 'order',
    send: async () =>
      (
        await customer.client.call('placeOrder', {
          body: { orderId: product._id, orderQuantity: pieces, price, user: customer.email },
          idempotencyKey,
        })
      ).insertedId,
    note: (id) =>
      ledger.orders.set(id, { customer, product: product._id, pieces, price, may: new Set(['']) }),
  });
}

/** Sends a write for the first time; where nobody answers it stays in the ledger without an id. */
export async function writeOnce(ledger: Ledger, write: KeyedWrite): Promise<void> {
  ledger.writes.push(write);
  const done = await attempt(ledger, write.send);
  if (!done) return;
  if ('refused' in done) {
    ledger.writes.splice(ledger.writes.indexOf(write), 1);
    return;
  }
  write.id = done.answer;
  write.note(done.answer);
}

/** An impatient client's second request, with the first one's key. */
export async function repeat({ chance, ledger }: Stage): Promise<void> {
  const write = chance.pick(ledger.writes.filter(({ id }) => id !== undefined));
  if (!write) return;
  const again = await attempt(ledger, write.send);
  if (again && !('answer' in again && again.answer === write.id))
    ledger.wrong.push(`a repeated ${write.what} gave ${JSON.stringify(again)}, not ${write.id}`);
}

/** Pays an order, or tries to with a card that is declined; some browsers die before they tell the shop. */
export async function pay(stage: Stage, customer: Customer): Promise<void> {
  const { origin, chance, ledger } = stage;
  const [id, found] = unpaidOf(stage, customer);
  if (!id || !found) return;
  const opened = await attempt(ledger, () =>
    customer.client.call('createPaymentIntent', { body: { price: found.price, order: id } }),
  );
  if (!opened || 'refused' in opened) return;
  // Opening the payment takes an expired order's stock again.
  if (found.may.has('expired')) mayBecome(found, '');
  const { clientSecret } = opened.answer;
  const transactionId = clientSecret.replace(/_secret_.*/, '');
  const declined = chance.happens(0.2);
  if (!declined) mayBecome(found, 'paid');
  const confirmed = await attempt(ledger, async () => {
    const answer = await fetch(`${origin}/sandbox/stripe/v1/payment_intents/${transactionId}/confirm`, {
      method: 'POST',
      body: new URLSearchParams({
        key: 'pk_test_torture',
        client_secret: clientSecret,
        payment_method: declined ? 'pm_card_chargeDeclined' : 'pm_card_visa',
      }),
    });
    await throwRefusal(answer);
  });
  if (!confirmed || 'refused' in confirmed || declined || chance.happens(0.2)) return;
  const told = await attempt(ledger, () =>
    customer.client.call('markOrderPaid', {
      params: { id },
      body: { order: id, transactionId, orderStatus: 'paid' },
    }),
  );
  if (told && 'answer' in told) settleOrder(ledger, id, 'paid');
}

/** Deletes an order that may be unpaid, even while it is being paid in another window. */
export async function deleteOrder(stage: Stage, customer: Customer): Promise<void> {
  const [id, found] = unpaidOf(stage, customer);
  if (!id || !found) return;
  mayBecome(found, 'gone');
  const deleted = await attempt(stage.ledger, () => customer.client.call('deleteOrder', { params: { id } }));
  if (deleted && 'answer' in deleted) settleOrder(stage.ledger, id, 'gone');
}

function unpaidOf({ chance, ledger }: Stage, customer: Customer) {
  const unpaid = [...ledger.orders].filter(
    ([, { customer: owner, may }]) => owner === customer && (may.has('') || may.has('expired')),
  );
  return chance.pick(unpaid) ?? [];
}

export async function upload({ origin, chance, ledger }: Stage, customer: Customer): Promise<void> {
  const background = { r: chance.below(256), g: chance.below(256), b: chance.below(256) };
  const image = await sharp({ create: { width: 24, height: 24, channels: 3, background } })
    .png()
    .toBuffer();
  const uploaded = await attempt(ledger, async () => {
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(image)]), 'picture.png');
    const headers = { authorization: `Bearer ${customer.token}` };
    const answer = await fetch(`${origin}/1/upload?key=`, { method: 'POST', headers, body: form });
    await throwRefusal(answer);
    const { data }: { data: { url: string } } = await answer.json();
    return data.url;
  });
  if (uploaded && 'answer' in uploaded) ledger.pictures.push(uploaded.answer);
}

export async function review({ chance, ledger }: Stage, customer: Customer): Promise<void> {
  const img = chance.pick(ledger.pictures);
  if (!img) return;
  const body = { rating: 1 + chance.below(5), reviews: 'It keeps time.', img };
  const idempotencyKey = randomUUID();
  await writeOnce(ledger, {
    what: 'review',
    send: async () => (await customer.client.call('addReview', { body, idempotencyKey })).insertedId,
    note: (id) => ledger.reviews.add(id),
  });
}

export async function saveProfile({ ledger }: Stage, customer: Customer): Promise<void> {
  const { email, client, profile } = customer;
  // Of two that are under way one cannot say which is the later.
  if (profile.asked.length > 0) return;
  const asked = { address: randomUUID(), phone: '0123', education: 'Horology', linkedIn: 'tom' };
  profile.asked = [asked];
  const saved = await attempt(ledger, () => client.call('saveUser', { params: { email }, body: asked }));
  if (!saved) return;
  profile.asked = [];
  if ('answer' in saved) profile.saved = asked;
}
