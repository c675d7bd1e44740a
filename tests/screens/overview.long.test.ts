import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buy } from '../support/payments.ts';
import { readManifest } from '../support/shop-modules.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

test('the overview of a shop without orders says how to start, and a customer sees no overview', async () => {
  const { shop } = stage;
  const page = await stage.open({ as: await shop.admin() });
  await openPath(page, '/dashboard');
  await page.getByRole('heading', { name: 'No orders yet' }).waitFor();
  await expect.poll(() => page.locator('canvas').count()).toBe(0);
  await page.getByRole('link', { name: 'Add a product' }).click();
  await page.getByRole('heading', { name: 'Add Product', level: 1 }).waitFor();

  const own = await stage.open({ as: await shop.signUp() });
  const scripts: string[] = [];
  own.on('request', (request) => scripts.push(request.url()));
  await openPath(own, '/dashboard');
  await own.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
  await own.waitForLoadState('networkidle');
  await expect.poll(() => own.getByText('Best sellers').count()).toBe(0);
  expect(scripts.filter((url) => /overview|chart/.test(url))).toEqual([]);
});

test('a new paid order appears and is announced without a reload, and a hidden tab sends no requests', async () => {
  const { shop } = stage;
  const [admin, tom] = [await shop.admin(), await shop.signUp()];
  const product = await shop.addProduct({ a_quantity: 100 });
  await buy(shop, tom, product);
  const page = await stage.open({ as: admin });
  await openPath(page, '/dashboard');
  const figure = (term: string) => page.getByRole('definition').filter({ has: page.getByText(term) });
  await page.getByRole('link', { name: '$12.50', exact: true }).first().waitFor();
  await page.locator('canvas[style]').waitFor();
  await buy(shop, tom, product, 2);
  await page.getByRole('status').getByText('1 new paid order.').waitFor();
  await page.getByRole('link', { name: '$37.50', exact: true }).first().waitFor();
  await page.getByText('3 pieces, $37.50').waitFor();
  await expect.poll(() => figure('No stock is held.').count()).toBe(1);

  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await buy(shop, tom, product);
  await page.clock.install();
  await page.clock.fastForward(60_000);
  expect(requests).toEqual([]);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.getByRole('status').getByText('2 new paid orders.').waitFor();

  await page.getByRole('link', { name: 'Today', exact: true }).click();
  await page.getByText('By revenue today, before refunds.').waitFor();
  await page.getByText('4 pieces, $50.00').waitFor();
  await page.getByText('All sales: $50.00.').waitFor();
  await page.getByRole('link', { name: 'Last month', exact: true }).click();
  await page.getByText('Nothing was sold last month.').waitFor();
});

test('the chart’s figures are in a table, which needs no script, and every figure leads to its list', async () => {
  const page = await stage.open({ as: await stage.shop.admin(), javaScriptEnabled: false });
  await page.goto('/dashboard');
  await expect.poll(() => page.locator('canvas').isVisible()).toBe(false);
  await page.getByText('Revenue per day as a table').click();
  const rows = page.getByRole('table', { name: /^Revenue, orders and refunds per day/ }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(31);
  const links = page.getByRole('region', { name: 'Overview' }).locator('dd').getByRole('link');
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  const today = new Date().toISOString().slice(0, 10);
  expect(paths).toEqual([
    '/dashboard/allOrders?status=paid&sort=created',
    '/dashboard/allOrders?status=unpaid',
    '/dashboard/manageProduct?low&sort=stock',
    '/dashboard/health',
    `/dashboard/allOrders?from=${today}&to=${today}&by=paid`,
    ...Array(2).fill(expect.stringMatching(`^/dashboard/allOrders\\?from=.+&to=${today}&by=paid$`)),
    expect.stringMatching(/^\/dashboard\/allOrders\?from=.+&by=refunded$/),
  ]);
});

test('the order list, the stock history and the import page do not load the schema library', () => {
  const folder = join(import.meta.dirname, '../../dist');
  const { pages } = readManifest(folder);
  const hasSchemas = (id: string) =>
    pages[id]?.some((path) => readFileSync(join(folder, 'web', path), 'utf8').includes('invalid_union'));
  const lists = ['orders/all-orders', 'products/stock', 'products/import-products'];
  const forms = ['products/add-product'];
  expect(Object.fromEntries([...lists, ...forms].map((id) => [id, hasSchemas(`dashboard/${id}`)]))).toEqual({
    ...Object.fromEntries(lists.map((id) => [id, false])),
    ...Object.fromEntries(forms.map((id) => [id, true])),
  });
});

test('the dashboard’s scripts are at most 40 KB beyond the shared ones, and the chart at most 60 KB (Brotli)', () => {
  const folder = join(import.meta.dirname, '../../dist');
  const sizeOf = (path: string) => statSync(join(folder, 'web', `${path}.br`)).size;
  const sum = (scripts: Iterable<string>) => [...scripts].reduce((total, path) => total + sizeOf(path), 0);
  const { pages } = readManifest(folder);
  const scriptsOf = (isIncluded: (id: string) => boolean) =>
    Object.entries(pages).flatMap(([id, scripts]) => (isIncluded(id) ? scripts : []));
  const shared = new Set(scriptsOf((id) => !id.startsWith('dashboard')));
  // The folder also has the scripts of earlier builds.
  const findImport = (path: string, name: string) => {
    const file = new RegExp(`${name}-[\\w-]+\\.js`).exec(
      readFileSync(join(folder, 'web', path), 'utf8'),
    )?.[0];
    return `/static/js/${file}`;
  };
  const profile = pages['dashboard/account/profile']?.[0] ?? '';
  const overview = findImport(profile, 'overview');
  const chart = findImport(overview, 'draw-chart');
  expect(sizeOf(chart)).toBeLessThanOrEqual(60_000);
  const own = new Set(scriptsOf((id) => id === 'dashboard' || id === 'dashboard/account/profile'));
  expect(sum([...own.difference(shared), overview])).toBeLessThanOrEqual(40_000);
});
