import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { type AccountData, accountData } from '../../../contract/accounts/account-data.ts';
import { engines } from '../../../tests/support/database.ts';
import { postImage } from '../../../tests/support/image-upload.ts';
import { buy, placeOrder, placePurchase, refundOrder, shipOrder } from '../../../tests/support/payments.ts';
import { cookieHeaders, readProblem, sendCall, type TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';
import { toMailRow } from '../../mail/outbox.ts';
import type { Actor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';

const picture = await sharp({ create: { width: 3, height: 3, channels: 3, background: '#137' } })
  .png()
  .toBuffer();

const requestExport = (shop: TestShop, person: TestUser, email = person.email) =>
  sendCall(shop, 'exportUser', { params: { email }, headers: cookieHeaders(person) });

async function readExport(shop: TestShop, person: TestUser): Promise<AccountData> {
  const response = await requestExport(shop, person);
  expect(response.status).toBe(200);
  return accountData.strict().parse(await response.json());
}

describe.each(engines)('on %s', (engine) => {
  test('exportUser returns everything about the user as a file, and no secret', async () => {
    await using shop = await startShop({ engine });
    const [tom, eve, ada] = [await shop.signUp(), await shop.signUp('Eve'), await shop.admin()];
    const gauge = await shop.addProduct({ a_quantity: 100 });
    const lamp = await shop.addProduct({ name: 'Lamp', a_quantity: 100 });
    const [client, admin] = [shop.client(tom), shop.client(ada)];
    const profile = { address: '1 Mill Lane', phone: '+44 1', education: 'Guild', linkedIn: 'in/tom' };
    await client.call('saveUser', { params: { email: tom.email }, body: profile });
    const img = await postImage(shop, tom, picture);
    await client.call('addReview', { body: { rating: 5, reviews: 'Good.', img } });
    const { order } = await buy(shop, tom, gauge, 2);
    const params = { id: order._id };
    await shipOrder(admin, {
      params,
      body: { orderStatus: 'sipping', trackingNumber: '1Z5R89390357567127' },
    });
    await admin.call('addOrderNote', { params, body: { text: 'A difficult customer.' } });
    await refundOrder(admin, { params, body: { amount: 1, reason: 'other', note: 'For calm.' } });
    const unpaid = await placePurchase(shop, tom, [
      [gauge, 1],
      [lamp, 1],
    ]);
    await client.call('setBasketLine', { params: { id: lamp._id }, body: { quantity: 2 } });
    await admin.call('makeAdmin', { params: { email: tom.email } });
    await admin.call('removeAdmin', { params: { email: tom.email } });
    await buy(shop, eve, gauge);

    const response = await requestExport(shop, tom, tom.email.toUpperCase());
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/,
    );
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    const data = accountData.strict().parse(JSON.parse(text));
    expect(data.user).toMatchObject({ email: tom.email, name: tom.name, emailVerified: false, ...profile });
    expect(data.signInMethods).toMatchObject([{ method: 'password' }]);
    expect(data.sessions).toHaveLength(1);
    expect(data.basket).toMatchObject([{ orderId: lamp._id, product: 'Lamp', quantity: 2 }]);
    expect(data.orders.map(({ _id }) => _id).sort()).toEqual(
      [order._id, ...unpaid.orders.map(({ _id }) => _id)].sort(),
    );
    expect(data.orders.find(({ _id }) => _id === order._id)).toMatchObject({
      user: tom.email,
      trackingNumber: '1Z5R89390357567127',
      refunds: [{ amount: 1, status: 'succeeded' }],
      payments: [{ amount: order.price, state: 'paid', intent: expect.stringMatching(/^pi_/) }],
      disputes: [],
    });
    expect(data.reviews).toMatchObject([{ reviews: 'Good.', email: tom.email, img }]);
    expect(data.images.map(({ url }) => url)).toContain(img);
    expect(data.messages.map(({ kind, recipient }) => [kind, recipient])).toContainEqual([
      'order placed',
      tom.email,
    ]);
    expect(data.actionsByAdmins.map(({ action }) => action)).toEqual(['makeAdmin', 'removeAdmin']);
    const accounts = await shop.database.db.selectFrom('account').select('password').execute();
    const sessions = await shop.database.db.selectFrom('session').select('token').execute();
    const secrets = [
      ...accounts.map(({ password }) => password ?? ''),
      ...sessions.map(({ token }) => token),
    ];
    for (const hidden of [...secrets, eve.email, eve.name, ada.email, 'difficult', 'For calm'])
      expect(text).not.toContain(hidden);

    const own = await readExport(shop, ada);
    expect(own.actions.map(({ action }) => action)).toEqual([
      'shipOrder',
      'addNote',
      'refundOrder',
      'makeAdmin',
      'removeAdmin',
    ]);
  });

  test('exportUser has an admin’s actions under every email address they have had, and no actions of another admin who had the same address', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann] = [await shop.admin('Tom'), await shop.signUp('Ann')];
    const { db } = shop.database;
    const findId = async ({ email }: TestUser) =>
      (await db.selectFrom('user').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id;
    const [actor_id, target] = [await findId(tom), await findId(ann)];
    await shop.database.transaction(async (tx) => {
      const act = (actor: Actor) => writeAudit(tx, { ...actor, action: 'makeAdmin', target });
      await act({ actor_id, actor: 'tom@old.example' });
      await act({ actor_id: 'eve', actor: tom.email });
      await act({ actor_id, actor: tom.email });
    });
    const done = { action: 'makeAdmin', target };
    expect((await readExport(shop, tom)).actions).toMatchObject([done, done]);
    expect((await readExport(shop, ann)).actionsByAdmins).toHaveLength(3);
    await db.updateTable('user').set({ role: null }).where('id', '=', actor_id).execute();
    const former = { action: 'makeAdmin', target: '', name: '', details: '' };
    expect((await readExport(shop, tom)).actions).toMatchObject([former, former]);
  });

  test('exportUser reads 1,200 orders in batches, only as fast as the client receives them', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const first = await placeOrder(shop, tom, await shop.addProduct());
    const { db } = shop.database;
    const [order, purchase] = [
      await db.selectFrom('order_line').selectAll().where('id', '=', first._id).executeTakeFirstOrThrow(),
      await db.selectFrom('purchase').selectAll().where('id', '=', first._id).executeTakeFirstOrThrow(),
    ];
    const ids = Array.from(
      { length: 1200 },
      (_, index) => `${first._id.slice(0, -5)}x${String(index).padStart(4, '0')}`,
    );
    for (let from = 0; from < ids.length; from += 400) {
      const batch = ids.slice(from, from + 400);
      await db
        .insertInto('purchase')
        .values(batch.map((id) => ({ ...purchase, id, number: id.slice(-4) })))
        .execute();
      await db
        .insertInto('order_line')
        .values(batch.map((id) => ({ ...order, id, purchase_id: id })))
        .execute();
    }
    const { statementsOf } = await recordStatements(async () => {
      const response = await requestExport(shop, tom);
      await response.body?.cancel();
    });
    expect(statementsOf(db).filter(({ sql }) => sql.includes('from order_line join'))).toEqual([]);
    const recorded = await recordStatements(() => readExport(shop, tom));
    expect(new Set(recorded.result.orders.map(({ _id }) => _id))).toEqual(new Set([first._id, ...ids]));
    expect(recorded.statementsOf(db).filter(({ sql }) => sql.includes('from order_line join'))).toHaveLength(
      3,
    );
  });

  test('exportUser reads 1,200 messages in each state in batches', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const { db } = shop.database;
    await db.deleteFrom('mail').execute();
    const states = ['waiting', 'failed', 'sent'] as const;
    for (const state of states)
      for (let batch = 0; batch < 3; batch++) {
        const rows = Array.from({ length: 400 }, (_, index) =>
          toMailRow({ kind: 'order placed', recipient: tom.email, about: `${state} ${batch * 400 + index}` }),
        );
        await db
          .insertInto('mail')
          .values(rows.map((row) => ({ ...row, state })))
          .execute();
      }
    const { result, statementsOf } = await recordStatements(() => readExport(shop, tom));
    for (const state of states) {
      const exported = result.messages.filter((message) => message.state === state);
      const abouts = exported.map(({ about }) => about);
      expect(abouts).toEqual(Array.from({ length: 1200 }, (_, index) => `${state} ${index}`));
      const reads = statementsOf(db).filter(({ sql }) => sql.includes(`"state" = '${state}'`));
      // One more statement looks for messages with the user's id.
      expect([state, reads.length]).toEqual([state, 4]);
    }
  });

  test('only the user can call exportUser, a limited number of times', async () => {
    await using shop = await startShop({ engine, rateLimits: { exportsPerUser: 2 } });
    const [tom, ada] = [await shop.signUp(), await shop.admin()];
    const params = { email: tom.email };
    expect((await readProblem(await sendCall(shop, 'exportUser', { params }))).status).toBe(401);
    expect((await readProblem(await requestExport(shop, ada, tom.email))).status).toBe(403);
    expect((await readProblem(await requestExport(shop, ada, 'nobody@example.com'))).status).toBe(403);
    await readExport(shop, tom);
    await readExport(shop, tom);
    expect((await readProblem(await requestExport(shop, tom))).status).toBe(429);
  });
});
