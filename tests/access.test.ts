import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Call } from '../contract/call.ts';
import { contract } from '../contract/contract.ts';
import { uploaded } from '../contract/images.ts';
import type { CallName } from '../contract/paths.ts';
import { type Asking, ask, askIdentity, byCookie, byToken, readProblem } from './support/ask.ts';
import { engines } from './support/database.ts';
import type { Person } from './support/people.ts';
import { startShop, type TestShop } from './support/shop.ts';

/** The customer owns the order and the profile that the calls name; `demoted` was an admin until now. */
type Who = 'nobody' | 'customer' | 'other' | 'admin' | 'demoted';
const whos: Who[] = ['nobody', 'customer', 'other', 'admin', 'demoted'];

/**
 * Who is let in, as decided: what each answers to nobody, the customer, another customer, an admin and a
 * former admin. 409 is in: it is the order that cannot be shipped or paid that way.
 */
const expected: Record<CallName, [number, number, number, number, number]> = {
  saveUser: [401, 200, 403, 403, 403],
  isAdmin: [401, 200, 403, 200, 403],
  listUsers: [401, 403, 403, 200, 403],
  makeAdmin: [401, 403, 403, 200, 403],
  listProducts: [200, 200, 200, 200, 200],
  getProduct: [200, 200, 200, 200, 200],
  addProduct: [401, 403, 403, 201, 403],
  deleteProduct: [401, 403, 403, 200, 403],
  listReviews: [200, 200, 200, 200, 200],
  addReview: [401, 201, 201, 201, 201],
  listAllOrders: [401, 403, 403, 200, 403],
  listOwnOrders: [401, 200, 403, 200, 403],
  getOrder: [401, 200, 404, 200, 404],
  placeOrder: [401, 201, 403, 403, 403],
  shipOrder: [401, 403, 403, 409, 403],
  markOrderPaid: [401, 409, 404, 409, 404],
  deleteOrder: [401, 200, 404, 200, 404],
  createPaymentIntent: [401, 200, 404, 404, 404],
  listUnknownPayments: [401, 403, 403, 200, 403],
  receiveStripeEvent: [400, 400, 400, 400, 400],
  uploadImage: [401, 200, 200, 200, 200],
};

/** A shop with one of each, and what a right request of every call is, made anew for every try. */
async function open(shop: TestShop) {
  const [customer, other, admin, demoted, stranger] = [
    await shop.signUp(),
    await shop.signUp('Ann'),
    await shop.admin(),
    await shop.admin('Bob'),
    await shop.signUp('Eve'),
  ];
  const again = () => shop.signIn(customer.email, customer.password);
  const [signedOut, expired] = [await again(), await again()];
  await askIdentity(shop, '/sign-out', {}, byCookie(signedOut));
  const { db } = shop.database;
  const token = expired.token.split('.')[0] ?? '';
  await db
    .updateTable('session')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where('token', '=', token)
    .execute();
  await db.updateTable('user').set({ role: null }).where('email', '=', demoted.email).execute();

  const product = await shop.addProduct({ price: 2, a_quantity: 1000 });
  const { img } = product;
  const order = { orderId: product._id, orderQuantity: 1, price: 2, user: customer.email };
  const newProduct = {
    ...{ name: 'Broach', email: admin.email, description: 'Cuts.', img },
    ...{ price: 1, o_quantity: 1, a_quantity: 1 },
  };
  const addProduct = () => shop.client(admin).call('addProduct', { body: newProduct });
  const placeOrder = () => shop.client(customer).call('placeOrder', { body: order });
  const own = { params: { email: customer.email } };
  const picture = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#888' } })
    .png()
    .toBuffer();

  const requests: Record<CallName, () => Asking | Promise<Asking>> = {
    saveUser: () => ({ ...own, body: { address: 'A', phone: '1', education: 'E', linkedIn: 'L' } }),
    isAdmin: () => own,
    listUsers: () => ({}),
    listUnknownPayments: () => ({}),
    makeAdmin: () => ({ params: { email: stranger.email } }),
    listProducts: () => ({}),
    getProduct: () => ({ params: { id: product._id } }),
    addProduct: () => ({ body: newProduct }),
    deleteProduct: async () => ({ params: { id: (await addProduct()).insertedId } }),
    listReviews: () => ({}),
    addReview: () => ({ body: { rating: 5, reviews: 'Good.', img } }),
    listAllOrders: () => ({}),
    listOwnOrders: () => ({ query: { user: customer.email } }),
    getOrder: async () => ({ params: { id: (await placeOrder()).insertedId } }),
    placeOrder: () => ({ body: order }),
    shipOrder: async () => ({
      params: { id: (await placeOrder()).insertedId },
      body: { orderStatus: 'sipping' },
    }),
    markOrderPaid: async () => ({
      params: { id: (await placeOrder()).insertedId },
      body: { transactionId: 'pi_another' },
    }),
    deleteOrder: async () => ({ params: { id: (await placeOrder()).insertedId } }),
    createPaymentIntent: async () => ({ body: { price: 2, order: (await placeOrder()).insertedId } }),
    receiveStripeEvent: () => ({ body: { type: 'payment_intent.succeeded' } }),
    uploadImage: () => {
      const body = new FormData();
      body.set('image', new Blob([new Uint8Array(picture)]));
      return { body };
    },
  };
  const people: Record<Exclude<Who, 'nobody'>, Person> = { customer, other, admin, demoted };
  return { people, ended: { signedOut, expired }, requests };
}

/** All that a call may change. */
async function readAll({ database: { db } }: TestShop): Promise<unknown> {
  return Promise.all([
    db.selectFrom('product').selectAll().orderBy('id').execute(),
    db.selectFrom('orders').selectAll().orderBy('id').execute(),
    db.selectFrom('review').selectAll().orderBy('id').execute(),
    db.selectFrom('payment').selectAll().orderBy('id').execute(),
    db.selectFrom('user').selectAll().orderBy('id').execute(),
    db.selectFrom('picture').select('id').orderBy('id').execute(),
  ]);
}

const names = Object.keys(expected).filter((name): name is CallName => name in contract);

describe.each(engines)('on %s', (engine) => {
  test('every call lets in who was decided, by cookie and by token, and a refusal changes nothing', async () => {
    await using shop = await startShop({
      engine,
      limits: { intentsForPerson: 1000, uploadsForPerson: 1000 },
    });
    const { people, ended, requests } = await open(shop);

    async function attempt(name: CallName, who: string, headers: Record<string, string>, status: number) {
      const call: Call = contract[name];
      const given = await requests[name]();
      const before = await readAll(shop);
      const response = await ask(shop, name, { ...given, headers });
      expect([name, who, response.status]).toEqual([name, who, status]);
      if (status === (call.status ?? 200)) {
        call.answer.parse(await response.json());
        return;
      }
      expect(call.errors).toContain(status);
      if (name === 'uploadImage')
        expect(uploaded.parse(await response.json())).toMatchObject({ success: false, status });
      else await readProblem(response);
      expect(await readAll(shop)).toEqual(before);
    }

    for (const name of names) {
      for (const [at, who] of whos.entries()) {
        const status = expected[name][at] ?? 0;
        if (who === 'nobody') await attempt(name, who, {}, status);
        else {
          await attempt(name, `${who} by cookie`, byCookie(people[who]), status);
          await attempt(name, `${who} by token`, byToken(people[who]), status);
        }
      }
      // A session that is over is nobody, even the owner's and beside a good cookie.
      for (const [how, person] of Object.entries(ended)) {
        await attempt(name, `${how} by cookie`, byCookie(person), expected[name][0]);
        const headers = { ...byCookie(people.customer), ...byToken(person) };
        await attempt(name, `${how} by token`, headers, expected[name][0]);
      }
    }
  }, 60_000);

  test('a promotion and its end act on the next call', async () => {
    await using shop = await startShop({ engine });
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    const list = async () => (await ask(shop, 'listUsers', { headers: byToken(tom) })).status;
    expect(await list()).toBe(403);
    await shop.client(admin).call('makeAdmin', { params: { email: tom.email } });
    expect(await list()).toBe(200);
    await shop.database.db.updateTable('user').set({ role: null }).where('email', '=', tom.email).execute();
    expect(await list()).toBe(403);
  });
});
