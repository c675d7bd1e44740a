import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Order } from '../../../contract/orders/orders.ts';
import { auditLog, auditOrders, auditRefunds, readBooks } from '../../../tests/support/auditor.ts';
import { settingsFor } from '../../../tests/support/backups.ts';
import { engines, makeDatabase, makeFolder } from '../../../tests/support/database.ts';
import { type FilledShop, fillShop } from '../../../tests/support/filled-shop.ts';
import { confirmIntent, openPayment, placeOrder, reportPaid } from '../../../tests/support/payments.ts';
import { auditRatings } from '../../../tests/support/rating-auditor.ts';
import { runCommand } from '../../../tests/support/server.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { auditStock, auditStockHistory } from '../../../tests/support/stock-auditor.ts';
import type { DatabaseLocation } from '../../config/config.ts';

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = { AUTH_SECRET: 'the same secret for the old database and the new one' };
const directions = engines.flatMap((from) => engines.map((to) => ({ from, to })));

test.each(directions)(
  'a shop on $from is backed up while it takes orders, and restored on $to',
  { timeout: 90_000 },
  async ({ from, to }) => {
    const file = join(folder, 'backup');
    const old = await makeDatabase(from);
    const before = await (async () => {
      await using shop = await startShop({
        place: old.place,
        settings,
        rateLimits: { intentsPerUser: 1000 },
      });
      const busy = await fillShop(shop);
      const readOrder = (id: string) => shop.client(busy.ada).call('getOrder', { params: { id } });
      const refundedBefore = await readOrder(busy.refunded.order._id);
      expect(refundedBefore).toMatchObject({ refunded: 1, refunds: [{ restock: 2, status: 'succeeded' }] });
      expect(await readOrder(busy.disputed.order._id)).toMatchObject({ disputed: true });
      const image = await readImage(shop, busy);
      const ended = runCommand(['server/operations/commands/backup.ts', file], settingsFor(old.place)).ended;
      const placed = await trade(shop, busy, ended);
      expect(await ended).toMatchObject({ code: 0, err: '', out: expect.stringContaining('the whole shop') });
      const late = await placeOrder(shop, busy.tom, busy.gauge);
      const { facts } = await shop.client(busy.ada).call('getHealth', {});
      expect(facts.lastBackupAt).not.toBe(null);
      return { ...busy, refundedBefore, image, placed, late };
    })();

    const fresh = await makeDatabase(to);
    const restored = await runCommand(
      ['server/operations/commands/restore.ts', file],
      settingsFor(fresh.place),
    ).ended;
    expect(restored).toMatchObject({ code: 0, err: '', out: expect.stringContaining('AUTH_SECRET') });
    {
      await using shop = await startShop({ place: fresh.place, settings });
      await expectRestored(shop, before);
      await shop.doPeriodicWork();
      await expectBalancedBooks(fresh.place, before);
    }
    await fresh.drop();
    await old.drop();
  },
);

type Before = FilledShop & { refundedBefore: Order; image: Buffer; placed: string[]; late: { _id: string } };

/** Places new orders and pays older ones until the backup is complete. Returns the ids of the new orders. */
async function trade(shop: TestShop, { tom, gauge }: FilledShop, end: Promise<unknown>): Promise<string[]> {
  const payments = await Promise.all(
    Array.from({ length: 40 }, async () => openPayment(shop, tom, await placeOrder(shop, tom, gauge))),
  );
  const placed: string[] = [];
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    placed.push((await placeOrder(shop, tom, gauge))._id);
    const intent = payments.pop();
    // The shop learns of the payment by webhook.
    if (intent) await confirmIntent(shop, intent);
  }
  await over;
  return placed;
}

async function readImage(shop: TestShop, { gauge }: FilledShop): Promise<Buffer> {
  const response = await shop.send(gauge.img);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Expects the restored shop's responses to match those from before the backup. */
async function expectRestored(shop: TestShop, before: Before): Promise<void> {
  const { tom, ada, nora } = before;
  // The old session and password still work.
  const client = shop.client(tom);
  await shop.signIn(tom.email, tom.password);
  expect(await client.call('isAdmin', { params: { email: tom.email } })).toEqual({ admin: false });
  const isAdmin = { params: { email: nora.email } };
  expect(await shop.client(nora).call('isAdmin', isAdmin)).toEqual({ admin: true });

  const get = (id: string) => shop.client(ada).call('getOrder', { params: { id } });
  const { paid, shipped, unpaid, begun, expired, orphan, keyedResponse, late } = before;
  const { refundedBefore, disputed } = before;
  expect(await get(paid.order._id)).toMatchObject({ paid: true, transactionId: paid.intent.id });
  expect(await get(shipped.order._id)).toMatchObject({ paid: true, orderStatus: 'sipping' });
  expect(await get(expired._id)).toMatchObject({ orderStatus: 'expired' });
  for (const order of [unpaid, begun.order]) expect(await get(order._id)).toEqual({ ...order, disputes: [] });
  // The product of this order has been deleted.
  expect(await get(orphan._id)).toEqual({ ...orphan, img: undefined, disputes: [] });
  expect(await get(refundedBefore._id)).toEqual(refundedBefore);
  // The stand-in for Stripe is new, so the restore has ended the dispute.
  expect(await get(disputed.order._id)).toMatchObject({ disputed: false, disputes: [{ status: 'won' }] });
  await expect(get(late._id)).rejects.toThrow('no such order');
  expect(await client.call('placeOrder', before.keyedRequest)).toEqual(keyedResponse);

  expect(await readImage(shop, before)).toEqual(before.image);
  const entries = await shop.client(ada).call('listAudit', {});
  expect(entries.map(({ action }) => action)).toContain('shipOrder');
  await expect(shop.database.db.deleteFrom('audit').execute()).rejects.toThrow('append-only');

  // The stand-in for Stripe is new: open payments start over.
  for (const order of [begun.order, unpaid]) {
    const intent = await openPayment(shop, tom, order);
    await confirmIntent(shop, intent);
    await reportPaid(shop, tom, order, intent);
    expect(await get(order._id)).toMatchObject({ paid: true, transactionId: intent.id });
  }
}

/** Expects orders and stock to add up, including orders in progress during the backup. */
async function expectBalancedBooks(place: DatabaseLocation, { opening, placed }: Before): Promise<void> {
  const books = await readBooks(place);
  expect([
    ...auditStock(books, opening),
    ...auditStockHistory(books),
    ...auditOrders(books),
    ...auditRefunds(books),
    ...auditRatings(books),
    ...auditLog(books, opening),
  ]).toEqual([]);
  const states = new Set(books.payments.map(({ state }) => state));
  expect([...states].sort()).toEqual(['cancelled', 'paid', 'refunded']);
  const ids = new Set(books.orders.map(({ id }) => id));
  // The snapshot has the orders placed before it, and none after it.
  const isIncluded = placed.map((id) => ids.has(id));
  expect(isIncluded).toEqual(isIncluded.toSorted((a, b) => Number(b) - Number(a)));
}
