import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { phone } from '../support/browser.ts';
import { buy, placeOrder, refundOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { holdRequests } from './held-requests.ts';
import { openPath, openStage, type Stage, waitForHydration } from './stage.ts';

// New Year's Eve of next year. Day, month and year depend on the time zone, and the order does not expire.
const year = new Date().getUTCFullYear() + 1;
const late = Date.UTC(year, 11, 31, 22, 50);

let stage: Stage;
let tom: TestUser;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  tom = await stage.shop.signUp('Tom Graham');
  admin = await stage.shop.admin('Ada Harrison');
  const order = await placeOrder(stage.shop, tom, await stage.shop.addProduct());
  const [created, until] = [Date.UTC(year, 11, 31, 11, 5), late];
  const { db } = stage.shop.database;
  await db.updateTable('purchase').set({ hold_until: until }).where('id', '=', order._id).execute();
  await db.updateTable('order_line').set({ created_at: created }).where('id', '=', order._id).execute();
});
afterAll(() => stage?.close());

const zones = [
  ['Pacific/Chatham', [`01 Jan ${year + 1}, 00:50 UTC+13:45`, `01 Jan ${year + 1}, 12:35 UTC+13:45`]],
  ['America/St_Johns', [`31 Dec ${year}, 07:35 UTC−3:30`, `31 Dec ${year}, 19:20 UTC−3:30`]],
  ['Europe/Berlin', [`31 Dec ${year}, 12:05 UTC+1`, `31 Dec ${year}, 23:50 UTC+1`]],
  ['UTC', [`31 Dec ${year}, 11:05 UTC`, `31 Dec ${year}, 22:50 UTC`]],
] as const;
const screens = [
  ['on a phone', phone],
  ['on a desktop', { viewport: { width: 1280, height: 900 } }],
  ['on a narrow desktop', { viewport: { width: 860, height: 900 } }],
] as const;

/** The text of every time on the page. */
const readTimes = (page: Page) =>
  page
    .getByRole('main')
    .locator('time')
    .evaluateAll((times) => times.map(({ textContent }) => textContent));

/** Whether all style sheets of the page are loaded. */
const hasStyles = () =>
  [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(
    ({ sheet }) => sheet !== null,
  );

/** The position and size of every element on the page. */
const readBoxes = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main, main *')]
      .filter((element) => !element.matches('[role=status] *'))
      .map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [element.tagName, x, y, width, height].join(' ');
      }),
  );

describe.each(screens)('%s', (_screen, screen) => {
  test.each(zones)(
    'My Orders shows times in UTC first, then in %s, and nothing moves',
    async (timezoneId, local) => {
      const page = await stage.open({ as: tom, ...screen, timezoneId });
      const release = await holdRequests(page, '**/static/js/**');
      await page.goto('/dashboard/myOrder', { waitUntil: 'commit' });
      await page.getByText('Reserved for you until').waitFor();
      // The scripts are held back, so the page's load event does not come.
      await expect.poll(() => page.evaluate(hasStyles)).toBe(true);
      await page.evaluate(() => document.fonts.ready);
      await expect
        .poll(() => readTimes(page))
        .toEqual([`31 Dec ${year}, 11:05 UTC`, `31 Dec ${year}, 22:50 UTC`]);
      const times = page.getByRole('main').locator('time');
      await expect.poll(() => times.last().getAttribute('datetime')).toBe(`${year}-12-31T22:50:00.000Z`);
      const before = await readBoxes(page);
      release();
      await waitForHydration(page);
      await expect.poll(() => readTimes(page)).toEqual(local);
      await expect.poll(() => readBoxes(page)).toEqual(before);
    },
  );
});

test('a single space separates the date and the time', async () => {
  const page = await stage.open({ as: tom, timezoneId: 'Asia/Kathmandu' });
  await page.goto('/dashboard/myOrder');
  await expect.poll(() => readTimes(page)).toContain(`31 Dec ${year}, 16:50 UTC+5:45`);
  const gap = await page
    .getByRole('main')
    .locator('time')
    .first()
    .evaluate((time) => {
      const texts = document.createTreeWalker(time, NodeFilter.SHOW_TEXT);
      const characters: { character: string; box: DOMRect }[] = [];
      while (texts.nextNode()) {
        const { currentNode } = texts;
        [...(currentNode.textContent ?? '')].forEach((character, index) => {
          const range = document.createRange();
          range.setStart(currentNode, index);
          range.setEnd(currentNode, index + 1);
          characters.push({ character, box: range.getBoundingClientRect() });
        });
      }
      const comma = characters.findIndex(({ character }) => character === ',');
      const [before, after] = [characters[comma]?.box.right ?? 0, characters[comma + 2]?.box.left ?? 0];
      return (after - before) / Number.parseFloat(getComputedStyle(time).fontSize);
    });
  expect(gap).toBeGreaterThan(0.2);
  expect(gap).toBeLessThan(0.35);
});

test.each([
  ['UTC', `31 Dec ${year}, 11:05 UTC`],
  ['Asia/Kolkata', `31 Dec ${year}, 11:05 · 16:35 your\u00a0time`],
  ['Pacific/Chatham', `31 Dec ${year}, 11:05 · 01 Jan, 00:50 your\u00a0time`],
])(
  'All Orders shows times in the shop’s time zone and in %s, and nothing moves',
  async (timezoneId, time) => {
    const page = await stage.open({ as: admin, ...screens[1][1], timezoneId });
    const release = await holdRequests(page, '**/static/js/**');
    await page.goto('/dashboard/allOrders', { waitUntil: 'commit' });
    await expect.poll(() => readTimes(page)).toEqual([`31 Dec ${year}, 11:05 UTC`]);
    await page.evaluate(() => document.fonts.ready);
    const before = await page.getByRole('main').getByRole('table').boundingBox();
    release();
    await waitForHydration(page);
    await expect.poll(() => readTimes(page)).toEqual([time]);
    expect(await page.getByRole('main').getByRole('table').boundingBox()).toEqual(before);
  },
);

test('on a phone, a time leaves no empty line for an admin who is in the shop’s time zone', async () => {
  const { order } = await buy(stage.shop, tom, await stage.shop.addProduct());
  const readLines = (page: Page) =>
    page
      .getByRole('region', { name: 'History' })
      .locator('time')
      .first()
      .evaluate(
        (time) => time.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(time).lineHeight),
      );
  for (const [timezoneId, lines] of [
    ['UTC', 1],
    ['Asia/Kolkata', 2],
  ] as const) {
    const page = await stage.open({ as: admin, ...phone, timezoneId });
    await openPath(page, `/dashboard/orders/${order.number}`);
    await expect.poll(async () => Math.round(await readLines(page))).toBe(lines);
  }
});

test('in a shop with a time zone, slips and admins’ pages show times in that zone, and customers see their own', async () => {
  const berlin = await openStage({ demo: false, settings: { TIME_ZONE: 'Europe/Berlin' } });
  onTestFinished(() => berlin.close());
  const { shop } = berlin;
  const [ada, ines] = [await shop.admin(), await shop.signUp()];
  const { order } = await buy(shop, ines, await shop.addProduct());
  const { db } = shop.database;
  for (const table of ['purchase', 'order_line'] as const)
    await db
      .updateTable(table)
      .set({ created_at: Date.UTC(2025, 11, 31, 23, 5) })
      .execute();
  const desk = await berlin.open({ as: ada, timezoneId: 'America/New_York' });
  await openPath(desk, '/dashboard/allOrders');
  await expect.poll(() => readTimes(desk)).toEqual(['01 Jan 2026, 00:05 · 31 Dec, 18:05 your\u00a0time']);
  await openPath(desk, `/dashboard/print/slips?orders=${order._id}`);
  await desk.getByText('01 Jan 2026').waitFor();
  const page = await berlin.open({ as: ines, timezoneId: 'America/New_York' });
  await openPath(page, '/dashboard/myOrder');
  await expect.poll(() => readTimes(page)).toContain('31 Dec 2025, 18:05 UTC−5');
});

test('an order’s page shows an admin the days of shipping and refunds in the shop’s time zone, as its history does', async () => {
  const { shop } = stage;
  const { order } = await buy(shop, tom, await shop.addProduct({ name: 'Pivot gauge' }));
  const params = { id: order._id };
  await shop.client(admin).call('shipOrder', { params, body: { orderStatus: 'sipping' } });
  await refundOrder(shop.client(admin), { params, body: { amount: 1, reason: 'other' } });
  const { db } = shop.database;
  await db.updateTable('shipment').set({ created_at: late }).execute();
  await db.updateTable('refund').set({ updated_at: late, created_at: late }).execute();
  const page = await stage.open({ as: admin, timezoneId: 'Pacific/Chatham' });
  await openPath(page, `/dashboard/orders/${order.number}`);
  await page.getByText(`Shipped on 31 Dec ${year}`).waitFor();
  await page.getByText(`Sent back to the card on 31 Dec ${year}.`).waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await expect
    .poll(() => history.getByText(`31 Dec ${year}, 22:50 · 01 Jan, 12:35 your time`).count())
    .toBe(3);
});
