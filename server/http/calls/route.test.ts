import { describe, expect, test } from 'vitest';
import { contract } from '../../../contract/contract.ts';
import { callNames } from '../../../tests/support/call-requests.ts';
import { engines } from '../../../tests/support/database.ts';
import {
  cookieHeaders,
  readProblem,
  type SendOptions,
  sendAuthRequest,
  sendCall,
  sendRequest,
  tokenHeaders,
} from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const text = { 'content-type': 'text/plain' };
const large = { more: 'a'.repeat(100_001) };

/** The response's status. Fails if an error is not in the problem format. */
async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  if (!response.ok) await readProblem(response);
  return response.status;
}

async function openOrder(shop: TestShop) {
  const [tom, ann, admin] = [await shop.signUp(), await shop.signUp('Ann'), await shop.admin()];
  const product = await shop.addProduct({ price: 2.5, a_quantity: 100 });
  const body = { orderId: product._id, orderQuantity: 2, price: 5, user: tom.email };
  const { insertedId: id } = await shop.client(tom).call('placeOrder', { body });
  return { tom, ann, admin, product, body, params: { id } };
}

describe.each(engines)('on %s', (engine) => {
  test('a request that names a user who is not the signed-in one gets 412 and changes nothing', async () => {
    await using shop = await startShop({ engine });
    const { tom, ann, product, body } = await openOrder(shop);
    const users = await shop.database.db.selectFrom('user').select(['id', 'email']).execute();
    const [toms, anns] = [tom, ann].map((person) => users.find(({ email }) => email === person.email)?.id);
    const inBasket = { params: { id: product._id }, body: { quantity: 1 } };
    await shop.client(ann).call('setBasketLine', inBasket);
    // Simulates Tom's page in a browser that is now signed in as Ann.
    const headers = { ...cookieHeaders(ann), 'expected-user': String(toms) };
    for (const name of callNames) {
      const response = await sendCall(shop, name, { params: { id: 'x', email: ann.email }, headers });
      expect({ name, status: response.status }).toEqual({ name, status: 412 });
    }
    const lines = [{ orderId: product._id, orderQuantity: 1 }];
    const purchase = { lines, price: 2.5, address: '12 Escapement Row' };
    const rejected = await readProblem(await sendCall(shop, 'placePurchase', { body: purchase, headers }));
    expect(rejected).toMatchObject({ type: 'urn:problem:other_account' });
    expect(rejected.detail).toContain(`You are now signed in as Ann (${ann.email}). Nothing was sent.`);
    const passwords = { currentPassword: ann.password, newPassword: 'another-escapement' };
    expect((await sendAuthRequest(shop, '/change-password', passwords, headers)).status).toBe(412);
    expect((await sendAuthRequest(shop, '/list-sessions', undefined, headers)).status).toBe(412);
    expect((await shop.client(ann).call('getBasket', {})).lines).toHaveLength(1);
    expect(await shop.client(ann).call('listOwnOrders', { query: { user: ann.email } })).toEqual([]);

    const own = { ...cookieHeaders(ann), 'expected-user': String(anns) };
    expect((await sendCall(shop, 'placePurchase', { body: purchase, headers: own })).status).toBe(201);
    // The browser is signed out: the page asks to sign in again.
    const signedOut = { 'expected-user': String(toms) };
    expect(await statusOf(sendCall(shop, 'placeOrder', { body, headers: signedOut }))).toBe(401);
    expect(await statusOf(sendCall(shop, 'listProducts', { headers: signedOut }))).toBe(200);
  });

  test('checks run in this order: authentication, authorization, parsing, validation, state', async () => {
    await using shop = await startShop({ engine });
    const { tom, ann, admin, product, body, params } = await openOrder(shop);
    const unknown = { id: 'unknown' };
    const [asTom, asAnn, asAdmin] = [cookieHeaders(tom), cookieHeaders(ann), cookieHeaders(admin)];
    const cases: [number, keyof typeof contract, SendOptions][] = [
      // 401 comes first.
      [401, 'addProduct', { body: '{', headers: text }],
      [401, 'placeOrder', { body: { ...body, user: ann.email } }],
      [401, 'getOrder', { params: unknown }],
      [401, 'listUsers', { query: { limit: 'x' } }],
      [401, 'makeAdmin', { params: { email: 'not-an-address' } }],
      // 403 comes before 404, parsing and validation.
      [403, 'deleteProduct', { params: unknown, headers: asTom }],
      [403, 'makeAdmin', { params: { email: 'nobody@example.com' }, headers: asTom }],
      [403, 'addProduct', { body: '{', headers: asTom }],
      [403, 'addProduct', { body: '{}', headers: { ...asTom, ...text } }],
      [403, 'addProduct', { body: large, headers: asTom }],
      [403, 'addProduct', { body: {}, headers: asTom }],
      [403, 'listUsers', { query: { limit: 'x' }, headers: asTom }],
      [403, 'listOwnOrders', { query: { user: ann.email, limit: 'x' }, headers: asTom }],
      [403, 'saveUser', { params: { email: ann.email }, body: '{', headers: asTom }],
      [403, 'shipOrder', { params: unknown, body: {}, headers: asTom }],
      [403, 'placeOrder', { body: { user: ann.email }, headers: asTom }],
      // Somebody else's order gets the same 404 as an unknown one.
      [404, 'markOrderPaid', { params, body: '{', headers: asAnn }],
      [404, 'markOrderPaid', { params, body: large, headers: asAnn }],
      [404, 'markOrderPaid', { params, body: {}, headers: asAnn }],
      [404, 'markOrderPaid', { params: unknown, body: {}, headers: asTom }],
      [404, 'shipOrder', { params: unknown, body: '{', headers: asAdmin }],
      // 400, 413, 415 come before 422 …
      [400, 'markOrderPaid', { params, body: '{', headers: asTom }],
      [400, 'placeOrder', { body: '', headers: asTom }],
      [413, 'placeOrder', { body: large, headers: asTom }],
      [415, 'placeOrder', { body: '{}', headers: { ...asTom, ...text } }],
      [415, 'shipOrder', { params, body: '{}', headers: { ...asAdmin, ...text } }],
      // … and 422 comes before 409 and before the product is looked up.
      [422, 'placeOrder', { body: { ...body, price: 1, orderQuantity: 0 }, headers: asTom }],
      [422, 'placeOrder', { body: { ...body, orderId: 'unknown', price: 'x' }, headers: asTom }],
      [422, 'shipOrder', { params, body: { orderStatus: 'shipping' }, headers: asAdmin }],
      [422, 'markOrderPaid', { params, body: {}, headers: asTom }],
      [422, 'markOrderPaid', { params, body: { order: 'other', transactionId: 'pi' }, headers: asTom }],
      [404, 'placeOrder', { body: { ...body, orderId: 'unknown' }, headers: asTom }],
      [409, 'placeOrder', { body: { ...body, price: 4.99 }, headers: asTom }],
      [409, 'shipOrder', { params, body: { orderStatus: 'sipping' }, headers: asAdmin }],
      [409, 'markOrderPaid', { params, body: { transactionId: 'pi' }, headers: asTom }],
      [404, 'deleteProduct', { params: unknown, headers: asAdmin }],
      [404, 'getProduct', { params: unknown }],
    ];
    for (const [status, name, given] of cases) {
      expect([name, given, await statusOf(sendCall(shop, name, given))]).toEqual([name, given, status]);
    }
    expect(await shop.client().call('getProduct', { params: { id: product._id } })).toMatchObject({
      a_quantity: 98,
    });
  });

  test('a JSON body that is not an object is a 422, not a 500', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    const headers = tokenHeaders(admin);
    for (const body of ['null', '[]', '7', '"text"', 'true']) {
      for (const name of ['addProduct', 'addReview', 'placeOrder', 'createPaymentIntent'] as const)
        expect([name, body, await statusOf(sendCall(shop, name, { body, headers }))]).toEqual([
          name,
          body,
          422,
        ]);
      const response = sendCall(shop, 'saveUser', { params: { email: admin.email }, body, headers });
      expect(await statusOf(response)).toBe(422);
    }
    const latin = new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x7d]);
    const request = new Request(`${shop.origin}/api/review`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
      body: latin,
    });
    expect(await statusOf(shop.fetch(request))).toBe(400);
  });

  test('an impossible id is a 404 or a 422, never a 500', async () => {
    await using shop = await startShop({ engine });
    const { tom, admin, body } = await openOrder(shop);
    const [asTom, asAdmin] = [cookieHeaders(tom), cookieHeaders(admin)];
    for (const id of ['\0', 'a\0b', '%', '%zz', '\ufffd', 'a'.repeat(3000), "' or 1=1 --"]) {
      const params = { id };
      for (const [name, given] of [
        ['getProduct', {}],
        ['deleteProduct', { headers: asAdmin }],
        ['getOrder', { headers: asTom }],
        ['deleteOrder', { headers: asTom }],
        ['shipOrder', { headers: asAdmin, body: { orderStatus: 'sipping' } }],
        ['markOrderPaid', { headers: asTom, body: { transactionId: 'pi' } }],
      ] as const) {
        const status = await statusOf(sendCall(shop, name, { params, ...given }));
        expect([name, id.slice(0, 20), status]).toEqual([name, id.slice(0, 20), 404]);
      }
      const sent = [
        sendCall(shop, 'placeOrder', { body: { ...body, orderId: id }, headers: asTom }),
        sendCall(shop, 'createPaymentIntent', { body: { price: 5, order: id }, headers: asTom }),
        sendCall(shop, 'listProducts', { query: { after: id } }),
        sendCall(shop, 'listReviews', { query: { after: id } }),
        sendCall(shop, 'makeAdmin', { params: { email: `${id}@example.com` }, headers: asAdmin }),
      ];
      for (const answer of sent) expect([200, 404, 422]).toContain(await statusOf(answer));
    }
  });

  test('extra fields cannot set what the caller must not decide', async () => {
    await using shop = await startShop({ engine });
    const { tom, ann, product, body } = await openOrder(shop);
    const client = shop.client(tom);
    const wanted = { _id: 'mine', id: 'mine', role: 'admin', paid: true, transactionId: 'pi_free' };

    const placed = await sendCall(shop, 'placeOrder', {
      body: { ...body, ...wanted, orderStatus: 'paid', product: 'Other', userName: 'Eve', currency: 'XXX' },
      headers: tokenHeaders(tom),
    });
    const { insertedId: id } = contract.placeOrder.response.parse(await placed.json());
    expect(id).not.toBe('mine');
    const order = await client.call('getOrder', { params: { id } });
    expect(order).toMatchObject({ orderStatus: '', paid: false, price: 5, currency: 'USD' });
    expect(order).toMatchObject({ product: product.name, userName: tom.name, user: tom.email });
    expect(order.transactionId).toBeUndefined();

    const written = await sendCall(shop, 'addReview', {
      body: { ...wanted, name: 'Eve', email: ann.email, rating: 4, reviews: 'Good.', img: product.img },
      headers: tokenHeaders(tom),
    });
    expect(written.status).toBe(201);
    expect(await client.call('listReviews', {})).toMatchObject([{ name: tom.name, email: tom.email }]);

    // The specification's profile form sends `user` and `name` beside its fields.
    for (const user of [tom.email, ann.email, tom.name, { email: tom.email }]) {
      const saved = await sendCall(shop, 'saveUser', {
        params: { email: tom.email },
        body: { ...wanted, user, name: 'Eve', address: 'A', phone: '1', education: 'E', linkedIn: 'L' },
        headers: tokenHeaders(tom),
      });
      expect([user, saved.status]).toEqual([user, 200]);
    }
    const rows = await shop.database.db.selectFrom('user').selectAll().execute();
    expect(rows.find(({ email }) => email === tom.email)).toMatchObject({
      name: tom.name,
      role: null,
      address: 'A',
    });
    expect(rows.find(({ email }) => email === ann.email)).toMatchObject({ address: '' });
    expect(rows.some(({ id }) => id === 'mine')).toBe(false);
  });

  test('email addresses in public lists are shown only to admins and their owners', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann, seller, admin] = [
      await shop.signUp(),
      await shop.signUp('Ann'),
      await shop.admin('Sam'),
      await shop.admin(),
    ];
    const { img } = await shop.addProduct();
    const fields = { price: 1, o_quantity: 1, a_quantity: 1, description: 'D', img };
    await shop.client(seller).call('addProduct', { body: { ...fields, name: 'Vise', email: tom.email } });
    for (const person of [tom, ann])
      await shop.client(person).call('addReview', { body: { rating: 5, reviews: person.name, img } });
    // A former admin sees the address only in products that they added.
    await shop.database.db
      .updateTable('user')
      .set({ role: null })
      .where('email', '=', seller.email)
      .execute();

    const reviewers = async (person?: typeof tom) =>
      (await shop.client(person).call('listReviews', {})).map(({ email }) => email);
    expect(await reviewers()).toEqual([undefined, undefined]);
    expect(await reviewers(tom)).toEqual([undefined, tom.email]);
    expect(await reviewers(seller)).toEqual([undefined, undefined]);
    expect(await reviewers(admin)).toEqual([ann.email, tom.email]);

    const adders = async (person?: typeof tom) =>
      (await shop.client(person).call('listProducts', {})).map(({ email }) => email);
    expect(await adders()).toEqual([undefined, undefined]);
    expect(await adders(tom)).toEqual([undefined, undefined]);
    expect(await adders(seller)).toEqual([undefined, seller.email]);
    expect(await adders(admin)).toEqual([expect.stringMatching(/@/), seller.email]);
    // Other request headers don't reveal the addresses either.
    const everything = await sendRequest(shop, 'GET', '/api/products', { headers: { accept: '*/*' } });
    expect(await everything.text()).not.toContain('@');
    expect(everything.headers.get('vary')).toMatch(/Cookie, Authorization/);
  });
});
