import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { maxBackInStock } from '../../../contract/catalogue/product-page.ts';
import type { Product } from '../../../contract/catalogue/products.ts';
import { engines } from '../../../tests/support/database.ts';
import { deleteMail, listLetters, waitForDelivery, waitForLetter } from '../../../tests/support/letters.ts';
import { liveSettings } from '../../../tests/support/live-settings.ts';
import { buy, placeOrder, refundOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const ask = (shop: TestShop, user: TestUser, { _id: id }: Product) =>
  shop.client(user).call('requestBackInStock', { params: { id } });
const stop = (shop: TestShop, user: TestUser, { _id: id }: Product) =>
  shop.client(user).call('cancelBackInStock', { params: { id } });
const isWaiting = async (shop: TestShop, user: TestUser, { _id: id }: Product) =>
  (await shop.client(user).call('getProduct', { params: { id } })).backInStock ?? false;

/** The recipients of messages about stock, in the order of the messages. */
async function listRecipients({ database: { db } }: TestShop): Promise<string[]> {
  const rows = await db
    .selectFrom('mail')
    .innerJoin('user', 'user.id', 'user_id')
    .select('email')
    .where('kind', '=', 'back in stock')
    .orderBy('mail.id')
    .execute();
  return rows.map(({ email }) => email);
}

async function setStock({ database: { db } }: TestShop, { _id }: Product, available: number): Promise<void> {
  await db.updateTable('product').set({ available }).where('id', '=', _id).execute();
}

describe.each(engines)('on %s', (engine) => {
  test('a user with a confirmed address can wait for a sold-out tool, sees the request, and can cancel it', async () => {
    await using shop = await startShop({ engine });
    const [tom, unconfirmed] = [await shop.signUpConfirmed(), await shop.signUp()];
    const [tool, inStock] = [await shop.addProduct({ a_quantity: 0 }), await shop.addProduct()];
    expect(await isWaiting(shop, tom, tool)).toBe(false);
    expect(await ask(shop, tom, tool)).toEqual({ modifiedCount: 1 });
    expect(await ask(shop, tom, tool)).toEqual({ modifiedCount: 0 });
    expect(await isWaiting(shop, tom, tool)).toBe(true);
    expect(await isWaiting(shop, unconfirmed, tool)).toBe(false);
    expect(await stop(shop, tom, tool)).toEqual({ deletedCount: 1 });
    expect(await stop(shop, tom, tool)).toEqual({ deletedCount: 0 });
    expect(await isWaiting(shop, tom, tool)).toBe(false);

    const reject = (user: TestUser, product: Product) => catchProblem(ask(shop, user, product));
    expect(await reject(tom, inStock)).toMatchObject({ status: 409, type: 'urn:problem:in_stock' });
    expect(await reject(unconfirmed, tool)).toMatchObject({
      status: 409,
      type: 'urn:problem:address_unconfirmed',
    });
    expect(await reject(tom, { ...tool, _id: 'nothing' })).toMatchObject({ status: 404 });
    const archive = { params: { id: tool._id }, body: { version: 1, archived: true } };
    await shop.client(await shop.admin()).call('editProduct', archive);
    expect(await reject(tom, tool)).toMatchObject({ status: 404 });
  });

  test('a user waits for a limited number of tools, even with simultaneous requests', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUpConfirmed();
    const tools = [];
    for (let count = 0; count < 5; count++) tools.push(await shop.addProduct({ a_quantity: 0 }));
    const { db } = shop.database;
    const { id: user_id } = await db
      .selectFrom('user')
      .select('id')
      .where('email', '=', tom.email)
      .executeTakeFirstOrThrow();
    const others = Array.from({ length: maxBackInStock - 2 }, (_, n) => ({
      user_id,
      product_id: `other ${n}`,
      requested_at: 1,
      stop_token: 'tom',
    }));
    await db.insertInto('back_in_stock').values(others).execute();
    const results = await Promise.allSettled(tools.map((tool) => ask(shop, tom, tool)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await db.selectFrom('back_in_stock').select('product_id').execute()).toHaveLength(maxBackInStock);
  });

  test('each way in which stock rises sends one message, only to users who wait for that tool', async () => {
    await using shop = await startShop({ engine });
    await shop.stripe.close();
    const [admin, tom, buyer] = [
      shop.client(await shop.admin()),
      await shop.signUpConfirmed(),
      await shop.signUp('Ines'),
    ];
    const { db } = shop.database;
    const adjust = (reason: 'delivery' | 'return' | 'count') => async (id: string) =>
      void (await admin.call('adjustStock', { params: { id }, body: { change: 1, reason } }));
    const ways: Record<
      string,
      [prepare: (tool: Product) => Promise<unknown>, raise: (id: string) => unknown]
    > = {
      delivery: [async () => {}, adjust('delivery')],
      return: [async () => {}, adjust('return')],
      count: [async () => {}, adjust('count')],
      'a CSV file': [
        async () => {},
        (id) => admin.call('importProducts', { body: new Blob([`id,name,delivery\n${id},Gauge,1`]) }),
      ],
      'a lower minimum': [
        (tool) => setStock(shop, tool, 1),
        (id) => admin.call('editProduct', { params: { id }, body: { version: 1, o_quantity: 1 } }),
      ],
      'a deleted order': [
        (tool) => placeOrder(shop, buyer, tool, 2),
        async () => {
          const [order] = await shop.client(buyer).call('listOwnOrders', { query: { user: buyer.email } });
          await shop.client(buyer).call('deleteOrder', { params: { id: order?._id ?? '' } });
        },
      ],
      'an expired hold': [
        (tool) => placeOrder(shop, buyer, tool, 2),
        () => db.updateTable('purchase').set({ hold_until: 1 }).where('status', '=', '').execute(),
      ],
      'a refund': [
        (tool) => buy(shop, buyer, tool, 2),
        async () => {
          const [order] = await shop.client(buyer).call('listOwnOrders', { query: { user: buyer.email } });
          const body = { reason: 'other', restock: 2 } as const;
          await refundOrder(admin, { params: { id: order?._id ?? '' }, body });
        },
      ],
    };
    const restored = await shop.addProduct({ name: 'Restored', a_quantity: 0, o_quantity: 2 });
    await ask(shop, tom, restored);
    for (const [way, [prepare, raise]] of Object.entries(ways)) {
      const tool = await shop.addProduct({ name: 'Gauge', a_quantity: 2, o_quantity: 2 });
      await prepare(tool);
      const { a_quantity } = await admin.call('getProduct', { params: { id: tool._id } });
      if (a_quantity === 2) await setStock(shop, tool, 1);
      await ask(shop, tom, tool);
      await deleteMail(shop);
      await shop.doPeriodicWork();
      expect([way, await listRecipients(shop)]).toEqual([way, []]);
      await raise(tool._id);
      await shop.doPeriodicWork();
      expect([way, await listRecipients(shop)]).toEqual([way, [tom.email]]);
      expect([way, await isWaiting(shop, tom, tool)]).toEqual([way, false]);
      // The request has ended: later deliveries cause no more messages.
      await setStock(shop, tool, 0);
      await shop.doPeriodicWork();
      await setStock(shop, tool, 5);
      await shop.doPeriodicWork();
      expect([way, await listRecipients(shop)]).toEqual([way, [tom.email]]);
      await admin.call('deleteProduct', { params: { id: tool._id } });
    }
    expect(await isWaiting(shop, tom, restored)).toBe(true);
    // Stock below the minimum is still sold out, and archived tools cannot be ordered.
    const params = { id: restored._id };
    await setStock(shop, restored, 1);
    await shop.doPeriodicWork();
    await admin.call('editProduct', { params, body: { version: 1, archived: true } });
    await setStock(shop, restored, 5);
    await deleteMail(shop);
    await shop.doPeriodicWork();
    expect(await listRecipients(shop)).toEqual([]);
    await admin.call('editProduct', { params, body: { version: 2, archived: false } });
    await shop.doPeriodicWork();
    expect(await listRecipients(shop)).toEqual([tom.email]);
  }, 60_000);

  test('thousands of waiting users get their messages in the order of their requests, one batch per run', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const [popular, other] = [
      await shop.addProduct({ a_quantity: 0 }),
      await shop.addProduct({ a_quantity: 0 }),
    ];
    const nora = await shop.signUpConfirmed('Nora');
    await ask(shop, nora, other);
    const count = 1300;
    const isTrue = engine === 'sqlite' ? sql`1` : sql`true`;
    await sql`
      with recursive counter (n) as (select 1 union all select n + 1 from counter where n < ${sql.lit(count)})
      insert into "user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt")
      select 'person-' || n, 'Person', 'person-' || n || '@mail.example', ${isTrue}, '2026-01-01', '2026-01-01'
      from counter`.execute(db);
    await sql`
      insert into back_in_stock (user_id, product_id, requested_at, stop_token)
      select id, ${popular._id}, 100000 - cast(substr(id, 8) as bigint), id from "user" where id like 'person-%'`.execute(
      db,
    );
    for (const tool of [popular, other]) await setStock(shop, tool, 3);
    await deleteMail(shop);
    const counts = [];
    for (let run = 0; run < 4; run++) {
      await shop.doPeriodicWork();
      counts.push((await listRecipients(shop)).length);
    }
    // In the first run, both tools get half of the messages.
    expect(counts).toEqual([251, 751, 1251, 1301]);
    const recipients = await listRecipients(shop);
    expect(recipients.slice(0, 251)).toContain(nora.email);
    const firstRun = recipients.slice(0, 251).filter((email) => email !== nora.email);
    const expected = Array.from({ length: 250 }, (_, n) => `person-${count - n}@mail.example`);
    expect(firstRun.toSorted()).toEqual(expected.toSorted());
    expect(new Set(recipients).size).toBe(count + 1);
  });

  test('deleted accounts and tools, and addresses that are not confirmed, cause no messages', async () => {
    await using shop = await startShop({ engine });
    const [leaver, changed, tom] = [
      await shop.signUpConfirmed('Eve'),
      await shop.signUpConfirmed('Ines'),
      await shop.signUpConfirmed(),
    ];
    const [tool, deleted] = [
      await shop.addProduct({ a_quantity: 0 }),
      await shop.addProduct({ a_quantity: 0 }),
    ];
    for (const user of [leaver, changed, tom])
      for (const each of [tool, deleted]) await ask(shop, user, each);
    await shop
      .client(leaver)
      .call('deleteUser', { params: { email: leaver.email }, body: { password: leaver.password } });
    const { db } = shop.database;
    await db.updateTable('user').set({ emailVerified: false }).where('email', '=', changed.email).execute();
    await shop.client(await shop.admin()).call('deleteProduct', { params: { id: deleted._id } });
    await setStock(shop, tool, 5);
    await shop.doPeriodicWork();
    expect(await listRecipients(shop)).toEqual([tom.email]);
    expect(await db.selectFrom('back_in_stock').selectAll().execute()).toEqual([]);
  });

  test('the message has a link that ends all requests with one click; no message is sent if the tool sells out again', async () => {
    await using shop = await startShop({ engine });
    const [tom, eve] = [await shop.signUpConfirmed(), await shop.signUpConfirmed('Eve')];
    const [tool, sold, other] = [
      await shop.addProduct({ name: 'Depthing tool', price: 128, a_quantity: 0 }),
      await shop.addProduct({ name: 'Pin vise', a_quantity: 0 }),
      await shop.addProduct({ a_quantity: 0 }),
    ];
    for (const each of [tool, sold, other]) await ask(shop, tom, each);
    await ask(shop, eve, other);
    const { id: eveId } = await shop.database.db
      .selectFrom('user')
      .select('id')
      .where('email', '=', eve.email)
      .executeTakeFirstOrThrow();
    // As after a change of AUTH_SECRET.
    await shop.database.db
      .updateTable('back_in_stock')
      .set({ stop_token: 'earlier' })
      .where('user_id', '<>', eveId)
      .execute();
    for (const each of [tool, sold]) await setStock(shop, each, 1);
    await shop.doPeriodicWork();
    await setStock(shop, sold, 0);
    await shop.listen();
    const letter = await waitForLetter(shop, tom.email, /^Back in stock: Depthing tool$/);
    await waitForDelivery(shop);
    expect(letter.text).toContain(`${shop.origin}/purchase/${tool._id}`);
    expect(letter.text).toContain('Depthing tool: USD 128.00');
    // Sold before the message was sent: Tom goes on waiting.
    const subjects = (await listLetters(shop, tom.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject?.startsWith('Back'))).toHaveLength(1);
    expect(await isWaiting(shop, tom, sold)).toBe(true);

    expect(letter.headers.get('list')).toMatchObject({
      'unsubscribe-post': { name: 'List-Unsubscribe=One-Click' },
    });
    const [, url = ''] =
      /"unsubscribe":\{"url":"(.+?)"/.exec(JSON.stringify(letter.headers.get('list'))) ?? [];
    const page = `${shop.origin}/back-in-stock/stop?token=`;
    const token = url.replace(page, '');
    // The message itself has the same link, for people whose mail program shows no button for the header.
    expect(letter.text).toContain(`Unsubscribe from all\n  ${url}`);
    expect(letter.html).toContain(`href="${url}"`);
    // The token has 128 bits.
    expect(token).toMatch(/^[\w-]{22}$/);
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const post = async (sent: string) =>
      (await shop.fetch(new Request(page + sent, { method: 'POST', body }))).status;
    for (const wrong of ['', token.slice(1), `${token}x`, '%00', eveId]) expect(await post(wrong)).toBe(200);
    // Mail scanners open links.
    expect((await shop.fetch(new Request(url))).status).toBe(200);
    expect(await isWaiting(shop, tom, other)).toBe(true);
    for (const _ of [1, 2]) expect(await post(token)).toBe(200);
    expect([await isWaiting(shop, tom, other), await isWaiting(shop, tom, sold)]).toEqual([false, false]);
    expect(await isWaiting(shop, eve, other)).toBe(true);
  });

  test('stopping cancels the unsent messages of the user who opened the link, and no others', async () => {
    await using shop = await startShop({ engine });
    const [tom, eve] = [await shop.signUpConfirmed(), await shop.signUpConfirmed('Eve')];
    const [first, second] = [
      await shop.addProduct({ a_quantity: 0 }),
      await shop.addProduct({ name: 'Pin vise', a_quantity: 0 }),
    ];
    for (const tool of [first, second]) for (const each of [tom, eve]) await ask(shop, each, tool);
    const { stop_token } = await shop.database.db
      .selectFrom('back_in_stock')
      .innerJoin('user', 'user.id', 'user_id')
      .select('stop_token')
      .where('email', '=', tom.email)
      .executeTakeFirstOrThrow();
    for (const tool of [first, second]) await setStock(shop, tool, 1);
    await shop.doPeriodicWork();
    expect((await listRecipients(shop)).sort()).toEqual(
      [tom, tom, eve, eve].map(({ email }) => email).sort(),
    );
    const path = `/back-in-stock/stop?token=${stop_token}`;
    for (const _ of [1, 2]) expect((await shop.send(path, { method: 'POST' })).status).toBe(303);
    expect(await listRecipients(shop)).toEqual([eve.email, eve.email]);
    await shop.listen();
    const letter = await waitForLetter(shop, eve.email, /^Back in stock: Pin vise$/);
    expect(letter.text).toContain(`${shop.origin}/back-in-stock/stop?token=`);
    await waitForDelivery(shop);
    const subjects = (await listLetters(shop, tom.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject?.startsWith('Back'))).toEqual([]);
  });

  test('a shop that sends no mail rejects requests with 404, and the page does not offer them', async () => {
    await using provider = await startShop();
    await provider.listen();
    await using shop = await startShop({ engine, settings: liveSettings(provider) });
    const [tom, tool] = [await shop.signUpConfirmed(), await shop.addProduct({ a_quantity: 0 })];
    expect(await catchProblem(ask(shop, tom, tool))).toMatchObject({ status: 404 });
    expect(await isWaiting(shop, tom, tool)).toBe(false);
    expect(await shop.database.db.selectFrom('back_in_stock').selectAll().execute()).toEqual([]);
    const page = await (await shop.send(`/purchase/${tool._id}`, { headers: { cookie: tom.cookie } })).text();
    expect(page).toContain('Sold out');
    expect(page).not.toContain('when it’s back');
  });
});
