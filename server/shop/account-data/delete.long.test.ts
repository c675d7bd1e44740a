import { sql } from 'kysely';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { readBooks } from '../../../tests/support/auditor.ts';
import { engines } from '../../../tests/support/database.ts';
import { postImage } from '../../../tests/support/image-upload.ts';
import {
  buy,
  openPayment,
  placeOrder,
  placePurchase,
  refundOrder,
  shipOrder,
} from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import {
  cookieHeaders,
  readProblem,
  sendAuthRequest,
  sendCall,
  type TestUser,
  tokenHeaders,
} from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { auditStockHistory } from '../../../tests/support/stock-auditor.ts';
import { findUserId } from '../users/find-users.ts';

const remove = (shop: TestShop, { email, password, token }: TestUser) =>
  sendCall(shop, 'deleteUser', { params: { email }, body: { password }, headers: tokenHeaders({ token }) });

async function removeAccount(shop: TestShop, person: TestUser): Promise<void> {
  const response = await remove(shop, person);
  expect([response.status, await response.json()]).toEqual([200, { deletedCount: 1 }]);
}

/** Signs up again with a former user's email address. */
async function signUpAgain(shop: TestShop, { email, password }: TestUser): Promise<TestUser> {
  const body = { name: 'Somebody Else', email, password };
  const response = await sendAuthRequest(shop, '/sign-up/email', body, { origin: shop.origin });
  expect(response.status).toBe(200);
  return shop.signIn(email, password);
}

const createPicture = (background: string) =>
  sharp({ create: { width: 3, height: 3, channels: 3, background } })
    .png()
    .toBuffer();

describe.each(engines)('on %s', (engine) => {
  test('deleteUser deletes the account; paid orders keep only what an invoice needs', async () => {
    await using shop = await startShop({ engine });
    const [tom, ada] = [await shop.signUp(), await shop.admin()];
    const tomId = await findUserId(shop.database.db, tom.email);
    const [gauge, lamp] = [await shop.addProduct(), await shop.addProduct({ name: 'Lamp' })];
    const [client, admin] = [shop.client(tom), shop.client(ada)];
    const { insertedId } = await client.call('placeOrder', {
      body: {
        orderId: gauge._id,
        orderQuantity: 1,
        price: gauge.price,
        user: tom.email,
        phone: '+44 24 7655',
        address: '1 Mill Lane',
      },
    });
    const placed = await client.call('getOrder', { params: { id: insertedId } });
    const { order } = await buy(shop, tom, gauge, 2);
    const params = { id: order._id };
    await admin.call('addOrderNote', { params, body: { text: 'Rang twice.' } });
    await placePurchase(shop, tom, [
      [gauge, 1],
      [lamp, 2],
    ]);
    const own = await postImage(shop, tom, await createPicture('#123'));
    const shared = await postImage(shop, tom, await createPicture('#456'));
    await client.call('addReview', { body: { rating: 5, reviews: 'Good.', img: own } });
    const eve = await shop.signUp('Eve');
    await shop.client(eve).call('addReview', { body: { rating: 4, reviews: 'Fine.', img: shared } });
    expect(placed.address).toBe('1 Mill Lane');

    await removeAccount(shop, tom);
    expect((await readProblem(await remove(shop, tom))).status).toBe(401);
    const signIn = { email: tom.email, password: tom.password };
    expect((await sendAuthRequest(shop, '/sign-in/email', signIn, { origin: shop.origin })).status).toBe(401);

    // The unpaid orders are gone, and their stock is back.
    const orders = await admin.call('listAllOrders', {});
    expect(orders.map(({ _id }) => _id)).toEqual([order._id]);
    expect(orders).toMatchObject([{ user: '', phone: '', userName: tom.name, orderStatus: 'paid' }]);
    expect((await admin.call('getProduct', { params: { id: gauge._id } })).a_quantity).toBe(8);
    expect((await admin.call('getProduct', { params: { id: lamp._id } })).a_quantity).toBe(10);
    const books = await readBooks(shop.config.database);
    expect(auditStockHistory(books)).toEqual([]);
    expect(books.purchases.map(({ id, user_id }) => [id, user_id])).toEqual([[order.purchase, null]]);

    const reviews = await admin.call('listReviews', {});
    expect(reviews.map(({ name, email, reviews }) => [name, email, reviews])).toEqual([
      ['Eve', eve.email, 'Fine.'],
      ['Former customer', '', 'Good.'],
    ]);
    const statusOf = async (path = '') => (await shop.send(path)).status;
    expect([await statusOf(own), await statusOf(shared), await statusOf(reviews[1]?.img)]).toEqual([
      404, 200, 200,
    ]);
    await shop.doPeriodicWork();

    // Admins still ship, refund and print the order. No message is sent to anybody.
    expect((await admin.call('getPurchase', { params: { id: order.purchase } })).notes).toBeUndefined();
    await shipOrder(admin, {
      params,
      body: { orderStatus: 'sipping', trackingNumber: '1Z5R89390357567127' },
    });
    await refundOrder(admin, { params, body: { reason: 'other' } });
    const { purchases } = await admin.call('getPrintout', { query: { orders: order.number } });
    expect(purchases).toMatchObject([{ userName: tom.name, user: '' }]);
    expect((await shop.send(`/dashboard/orders/${order.number}`, {}, ada)).status).toBe(200);
    const messages = await shop.database.db
      .selectFrom('mail')
      .select(['kind', 'recipient', 'user_id'])
      .execute();
    const isNotice = ({ kind }: { kind: string }) => kind === 'account deleted';
    expect(messages.filter(isNotice).map(({ recipient }) => recipient)).toEqual([tom.email]);
    const mail = messages.filter((message) => !isNotice(message));
    expect(mail.map(({ recipient }) => recipient)).not.toEqual(expect.arrayContaining([tom.email]));
    expect(mail.filter(({ user_id }) => user_id === tomId)).toEqual([]);
    const [entry] = (await admin.call('listAudit', {})).filter(({ action }) => action === 'deleteAccount');
    expect(entry).toMatchObject({ actor: 'the account’s owner', name: '', details: '' });
    expect(JSON.stringify(entry)).not.toMatch(tom.email);
  });

  test('a user who signs up with the address of a deleted account gets none of its data', async () => {
    await using shop = await startShop({ engine });
    const [tom, ada] = [await shop.admin('Tom'), await shop.admin()];
    const product = await shop.addProduct();
    const { order } = await buy(shop, tom, product);
    await shop.client(tom).call('addReview', { body: { rating: 5, reviews: 'Good.', img: product.img } });
    await shop.client(tom).call('setBasketLine', { params: { id: product._id }, body: { quantity: 1 } });
    await shop.client(tom).call('makeAdmin', { params: { email: (await shop.signUp('Eve')).email } });
    await removeAccount(shop, tom);
    const other = await signUpAgain(shop, tom);
    const client = shop.client(other);
    expect(await client.call('isAdmin', { params: { email: other.email } })).toEqual({ admin: false });
    expect(await client.call('listOwnOrders', { query: { user: other.email } })).toEqual([]);
    expect((await client.call('getBasket', {})).lines).toEqual([]);
    for (const call of [
      () => client.call('getOrder', { params: { id: order._id } }),
      () => client.call('getPurchase', { params: { id: order.purchase } }),
      () => client.call('getPurchase', { params: { id: order.number } }),
      () => client.call('getPrintout', { query: { orders: order.number } }),
    ])
      expect((await catchProblem(call())).status).toBe(404);
    const [review] = await client.call('listReviews', {});
    expect(review).not.toHaveProperty('email');
    const response = await sendCall(shop, 'exportUser', {
      params: { email: other.email },
      headers: cookieHeaders(other),
    });
    expect(await response.json()).toMatchObject({
      // The message of the new user's own sign-up.
      messages: [{ kind: 'confirm address' }],
      orders: [],
      reviews: [],
      images: [],
      products: [],
      basket: [],
      actions: [],
      actionsByAdmins: [],
      user: { name: 'Somebody Else', address: '', phone: '' },
    });
    // The deleted account's token does not work for the new account.
    expect((await readProblem(await remove(shop, { ...other, token: tom.token }))).status).toBe(401);
    expect((await shop.client(ada).call('listUsers', { query: { q: order.number } })).length).toBe(0);
  });

  test('only the user can call deleteUser, with the password, and wrong passwords are limited like sign-ins', async () => {
    await using shop = await startShop({ engine, rateLimits: { signInsPerAddressAndEmail: 3 } });
    const [tom, ada] = [await shop.signUp(), await shop.admin()];
    const params = { email: tom.email };
    const send = async (headers: Record<string, string>, body: unknown) =>
      readProblem(await sendCall(shop, 'deleteUser', { params, body, headers }));
    const rightPassword = { password: tom.password };
    expect((await send({}, rightPassword)).status).toBe(401);
    expect((await send(tokenHeaders(ada), { password: ada.password })).status).toBe(403);
    expect((await send(tokenHeaders(tom), '{')).status).toBe(400);
    for (const body of [{}, { password: '' }])
      expect((await send(tokenHeaders(tom), body)).errors).toEqual([
        { field: 'password', message: 'Password is Required' },
      ]);
    for (let guess = 0; guess < 3; guess++)
      expect((await send(tokenHeaders(tom), { password: `${tom.password} ` })).errors).toEqual([
        { field: 'password', message: 'Invalid password' },
      ]);
    expect((await send(tokenHeaders(tom), rightPassword)).status).toBe(429);
    const signIn = { email: tom.email, password: tom.password };
    expect((await sendAuthRequest(shop, '/sign-in/email', signIn, { origin: shop.origin })).status).toBe(429);
    await shop.database.db.deleteFrom('rate_limit').execute();
    await removeAccount(shop, tom);
  });

  test('an account without a password is deleted after a sign-in within the last ten minutes', async () => {
    await using shop = await startShop({ engine });
    const ines = await shop.signUp('Ines Vale');
    const { db } = shop.database;
    await db.updateTable('account').set({ providerId: 'google', accountId: '1', password: null }).execute();
    const setAge = (minutes: number) => {
      const createdAt = new Date(Date.now() - minutes * 60_000);
      return sql`update session set ${sql.ref('createdAt')} = ${engine === 'sqlite' ? createdAt.toISOString() : createdAt}`.execute(
        db,
      );
    };
    const send = () =>
      sendCall(shop, 'deleteUser', { params: { email: ines.email }, body: {}, headers: tokenHeaders(ines) });
    await setAge(11);
    expect(await readProblem(await send())).toMatchObject({
      status: 403,
      detail: 'You signed in more than 10 minutes ago: sign out and in again first.',
    });
    await setAge(9);
    expect((await send()).status).toBe(200);
    expect(await db.selectFrom('user').select('id').execute()).toEqual([]);
  });

  test('deleteUser is rejected while a payment is open, and changes nothing', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const product = await shop.addProduct();
    const first = await placeOrder(shop, tom, product);
    const second = await placeOrder(shop, tom, product);
    await openPayment(shop, tom, second);
    expect(await readProblem(await remove(shop, tom))).toMatchObject({
      status: 409,
      type: 'urn:problem:open_payment',
      data: { number: second.number },
    });
    const client = shop.client(tom);
    const list = () => client.call('listOwnOrders', { query: { user: tom.email } });
    expect((await list()).map(({ _id }) => _id)).toEqual([second._id, first._id]);
    await client.call('deleteOrder', { params: { id: second._id } });
    await removeAccount(shop, tom);
    expect((await shop.client().call('getProduct', { params: { id: product._id } })).a_quantity).toBe(10);
  });

  test('a payment that is opened, or an order that is placed, during a deletion is not lost', async () => {
    await using shop = await startShop({ engine });
    const product = await shop.addProduct({ a_quantity: 1000 });
    const { db } = shop.database;
    for (let round = 0; round < 12; round++) {
      const tom = await shop.signUp();
      const userId = (await findUserId(db, tom.email)) ?? expect.unreachable();
      const order = await placeOrder(shop, tom, product);
      const orderAgain = () =>
        shop.client(tom).call('placeOrder', {
          body: { orderId: product._id, orderQuantity: 1, price: product.price, user: tom.email },
        });
      const writeReview = () =>
        shop.client(tom).call('addReview', { body: { rating: 5, reviews: 'Good.', img: product.img } });
      const settled = await Promise.allSettled([
        remove(shop, tom).then(({ status }) => status),
        ...(round % 2 ? [openPayment(shop, tom, order)] : [orderAgain(), writeReview()]),
      ]);
      const status = settled[0]?.status === 'fulfilled' ? settled[0].value : undefined;
      const own = await db.selectFrom('order_line').select('id').where('user_id', '=', userId).execute();
      const reviews = await db.selectFrom('review').select('id').where('user_id', '=', userId).execute();
      const open = await db
        .selectFrom('payment')
        .select('id')
        .where('purchase_id', '=', order.purchase)
        .where('state', '=', 'open')
        .execute();
      const state = { status, orders: own.length > 0, reviews: reviews.length > 0, open: open.length > 0 };
      expect([
        { status: 200, orders: false, reviews: false, open: false },
        { status: 409, orders: true, reviews: false, open: true },
      ]).toContainEqual(state);
    }
    const books = await readBooks(shop.config.database);
    expect(auditStockHistory(books)).toEqual([]);
    const held = books.orders.length;
    expect(books.products.find(({ id }) => id === product._id)?.available).toBe(1000 - held);
  }, 60_000);

  test('identity calls during a deletion are rejected without an internal error', async () => {
    await using shop = await startShop({ engine });
    for (let round = 1; round <= 5; round++) {
      const tom = await shop.signUp();
      const { email, password } = tom;
      const calls: [path: string, body: object | undefined, headers?: { cookie: string }][] = [
        ['/sign-in/email', { email, password }, { cookie: '' }],
        ['/sign-in/email', { email, password }, { cookie: '' }],
        ['/change-password', { currentPassword: password, newPassword: 'verge-and-foliot' }],
        ['/two-factor/enable', { password }],
        ['/two-factor/disable', { password }],
        ['/send-verification-email', {}],
        ['/request-email-change', { newEmail: 'tom@new.example', password }],
        ['/revoke-other-sessions', {}],
        ['/list-sessions', undefined],
      ];
      const statuses = await Promise.all([
        remove(shop, tom).then(({ status }) => ['deleteUser', status]),
        ...calls.map(async ([path, body, headers = cookieHeaders(tom)]) => [
          path,
          (await sendAuthRequest(shop, path, body, headers)).status,
        ]),
      ]);
      expect(statuses.filter(([, status]) => Number(status) >= 500)).toEqual([]);
    }
  });

  test('the last admin cannot delete their account, even if all admins try at the same moment', async () => {
    await using shop = await startShop({ engine });
    const [ada, bob, cid] = [await shop.admin(), await shop.admin('Bob'), await shop.admin('Cid')];
    const responses = await Promise.all([ada, bob, cid].map((person) => remove(shop, person)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    const problem = await readProblem(responses.find(({ status }) => status === 409) ?? new Response());
    expect(problem.type).toBe('urn:problem:last_admin');
    const admins = await shop.database.db
      .selectFrom('user')
      .select('id')
      .where('role', '=', 'admin')
      .execute();
    expect(admins).toHaveLength(1);
    await removeAccount(shop, await shop.signUp());
  });
});
