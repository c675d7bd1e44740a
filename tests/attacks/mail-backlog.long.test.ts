import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { toMailRow } from '../../server/mail/outbox.ts';
import { engines } from '../support/database.ts';
import { startShop } from '../support/shop.ts';

test('a SQLite shop answers requests while it works through thousands of messages', async () => {
  await using shop = await startShop();
  await shop.addProduct();
  const { db } = shop.database;
  const count = async () => (await db.selectFrom('mail').select('id').execute()).length;
  // The orders of these messages do not exist, so the shop drops the messages without contacting the mail server.
  const rows = Array.from({ length: 3000 }, () =>
    toMailRow({ kind: 'order placed', recipient: 'tom@mail.example', about: uuidv7() }),
  );
  await db.deleteFrom('mail').execute();
  for (let index = 0; index < rows.length; index += 1000)
    await db
      .insertInto('mail')
      .values(rows.slice(index, index + 1000))
      .execute();
  await shop.listen();
  await expect.poll(count, { interval: 1 }).toBeLessThan(rows.length);

  let answered = 0;
  while (answered < 20 && (await count()) > 0) {
    expect((await fetch(`${shop.origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${shop.origin}/api/products?limit=${answered + 1}`)).status).toBe(200);
    answered += 1;
  }
  // If the shop never returned to the event loop, it would have dropped all messages before the first response.
  expect(answered).toBeGreaterThan(0);
});

describe.each(engines)('on %s', (engine) => {
  test('placing and deleting orders leaves no messages', async () => {
    // The shop does not listen, so it sends nothing.
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const client = shop.client(tom);
    const product = await shop.addProduct();
    const { db } = shop.database;
    await db.deleteFrom('mail').execute();
    const order = { orderId: product._id, orderQuantity: 1, price: 12.5, user: tom.email };
    for (let repetition = 0; repetition < 5; repetition++) {
      const { insertedId: id } = await client.call('placeOrder', { body: order });
      expect(await db.selectFrom('mail').select('kind').execute()).toEqual([{ kind: 'order placed' }]);
      await client.call('deleteOrder', { params: { id } });
      expect(await db.selectFrom('mail').select('kind').execute()).toEqual([]);
    }
  });
});
