import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopClock } from '../screens/clock.ts';
import { openStage, type Stage } from '../screens/stage.ts';
import { placeOrder } from '../support/payments.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** Records the path of every script that a page requests. */
function recordScripts(page: Page): string[] {
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
  });
  return scripts;
}

const openUntilIdle = (page: Page, path: string) => page.goto(path, { waitUntil: 'networkidle' });

/** The raw bytes of a response to GET, including its head. */
async function readRawResponse(path: string): Promise<Buffer> {
  const { port, host } = new URL(stage.shop.origin);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: br\r\nconnection: close\r\n\r\n`);
  return buffer(socket);
}

test('the home page and its response head fit into 14,600 bytes, the first round trip of a connection', async () => {
  await readRawResponse('/');
  const response = await readRawResponse('/');
  expect(response.toString('latin1', 0, 2000)).toMatch(/\r\ncontent-encoding: br\r\n/);
  expect(response.length).toBeLessThanOrEqual(14_600);
});

test('the home page loads at most 102,000 bytes of script (Brotli), and nothing from other hosts', async () => {
  // A request to another host fails the test.
  const page = await stage.open();
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    expect(response.headers()['content-encoding'], response.url()).toBe('br');
    sizes.push(
      response
        .request()
        .sizes()
        .then((size) => size.responseBodySize),
    );
  });
  await openUntilIdle(page, '/');
  const bytes = await Promise.all(sizes);
  expect(bytes.length).toBeGreaterThan(2);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(102_000);
});

test('the HTML requests the first image before any script except the script loader, which waits for the image’s paint', async () => {
  const page = await stage.open();
  await stopClock(page);
  const scripts = recordScripts(page);
  await page.route('**/movement-*.svg', () => undefined);
  const image = page.waitForRequest('**/movement-*.svg');
  await page.goto('/', { waitUntil: 'commit' });
  await image;
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(scripts.length).toBeLessThanOrEqual(1);
  // The image never arrives; after a timeout the page loads its scripts.
  const next = page.waitForRequest('**/framework-*.js');
  await page.getByRole('contentinfo').waitFor();
  await expect.poll(() => scripts.length).toBe(1);
  await page.clock.runFor(3000);
  await next;
});

test('a key press loads the deferred scripts at once', async () => {
  const page = await stage.open();
  await stopClock(page);
  const scripts = recordScripts(page);
  await openUntilIdle(page, '/');
  expect(scripts).toHaveLength(1);
  const next = page.waitForRequest('**/framework-*.js');
  await page.keyboard.press('Tab');
  await next;
});

test('if scripts fail to load, the page reports it once, and Retry reloads it', async () => {
  const page = await stage.open({ expected: [/ERR_FAILED/] });
  const thrown: Error[] = [];
  page.on('pageerror', (error) => thrown.push(error));
  const scripts = recordScripts(page);
  await page.route('**/framework-*.js', (route) => route.abort());
  await openUntilIdle(page, '/');
  await page.getByRole('alert').getByText('Loading chunk failed').waitFor();
  const requestCount = scripts.length;
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Shift');
  expect(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(1))))).toBe(
    1,
  );
  expect(scripts).toHaveLength(requestCount);
  expect(thrown).toEqual([]);
  await page.unrouteAll();
  const next = page.waitForResponse('**/framework-*.js');
  await page.getByRole('link', { name: 'Retry' }).click();
  expect((await next).ok()).toBe(true);
  await page.getByRole('alert').waitFor({ state: 'hidden' });
});

test('signed in, the scripts of the catalogue and of a product’s page wait for the first image', async () => {
  const [tom, { _id }] = [await stage.shop.signUp(), await stage.product()];
  for (const path of ['/products', `/purchase/${_id}`]) {
    const page = await stage.open({ as: tom });
    await stopClock(page);
    const scripts = recordScripts(page);
    await page.route('**/images/*', () => undefined);
    const image = page.waitForRequest('**/images/*');
    await page.goto(path, { waitUntil: 'commit' });
    await image;
    await page.getByRole('contentinfo').waitFor();
    await expect.poll(() => scripts.length).toBe(1);
    const next = page.waitForRequest('**/framework-*.js');
    await page.clock.runFor(3000);
    await next;
    await page.close();
  }
});

test('pages with forms and signed-in users’ pages without a main image load their scripts at once', async () => {
  const [tom, ada] = [await stage.shop.signUp(), await stage.shop.admin()];
  for (const [path, as] of [
    ['/login'],
    ['/basket', tom],
    ['/dashboard/myOrder', tom],
    ['/dashboard/allOrders', ada],
    ['/dashboard/users', ada],
    ['/dashboard/manageProduct', ada],
  ] as const) {
    const page = await stage.open(as ? { as } : {});
    await stopClock(page);
    const scripts = recordScripts(page);
    await openUntilIdle(page, path);
    expect(scripts.join(), path).toContain('framework-');
    await page.close();
  }
});

test('without JavaScript the home page shows its content and images, and its links work', async () => {
  const page = await stage.open({ javaScriptEnabled: false });
  await openUntilIdle(page, '/');
  await page.getByRole('heading', { name: 'Hand tools for the repair of clocks', level: 1 }).waitFor();
  const { name } = await stage.product();
  await expect.poll(() => page.getByRole('heading', { name, level: 3 }).isVisible()).toBe(true);
  await expect
    .poll(() =>
      page
        .getByRole('listitem')
        .filter({ hasText: /Rated \d of 5/ })
        .count(),
    )
    .toBe(12);
  await expect.poll(() => page.locator('main img').first().isVisible()).toBe(true);
  await page.getByRole('link', { name: 'Blogs' }).first().click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
});

test('only payment pages load the payment script', async () => {
  const person = await stage.shop.signUp();
  const order = await placeOrder(stage.shop, person, await stage.product());
  const page = await stage.open({ as: person });
  const scripts = recordScripts(page);
  const readPaymentScripts = () => scripts.filter((path) => /stripe|payment/.test(path));
  for (const path of ['/', '/products', `/purchase/${order.orderId}`, '/dashboard/myOrder'])
    await openUntilIdle(page, path);
  await page.getByRole('link', { name: /^Pay for / }).hover();
  await page.getByRole('link', { name: 'My Profile' }).first().hover();
  await page.waitForLoadState('networkidle');
  expect(readPaymentScripts()).toEqual([]);
  await page.getByRole('link', { name: /^Pay for / }).click();
  await page.getByRole('heading', { name: /pay/i, level: 1 }).waitFor();
  expect(readPaymentScripts().join()).toContain('stripe');
});

test('every image has its dimensions, and images below the fold load lazily', async () => {
  const page = await stage.open({ as: await stage.shop.admin(), viewport: { width: 375, height: 740 } });
  const { _id } = await stage.product();
  for (const path of ['/', '/products', `/purchase/${_id}`, '/dashboard/manageProduct']) {
    await openUntilIdle(page, path);
    const images = await page.locator('img').evaluateAll((all) =>
      all.map((img) => ({
        address: img.getAttribute('src') ?? '',
        sized: img.hasAttribute('width') && img.hasAttribute('height'),
        // An image of up to 120 pixels needs only the smallest size.
        widths:
          (img.hasAttribute('srcset') && img.hasAttribute('sizes')) ||
          (Number(img.getAttribute('width')) <= 120 && /-240\.webp$/.test(img.getAttribute('src') ?? '')),
        lazy: img.getAttribute('loading') === 'lazy',
        below: img.getBoundingClientRect().top > innerHeight,
      })),
    );
    expect(images.length, path).toBeGreaterThan(0);
    for (const image of images) {
      const { address, widths, lazy, below } = image;
      expect({ path, ...image }).toMatchObject({ sized: true });
      expect(address).toMatch(/\.(webp|svg)$/);
      if (address.startsWith('/images/')) expect({ path, address, widths }).toMatchObject({ widths: true });
      if (below) expect({ path, address, lazy }).toMatchObject({ lazy: true });
    }
  }
});

test('a dashboard page inlines no styles, and the home page opened from it looks as it does when loaded directly', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  const readStyles = () =>
    page.evaluate(() =>
      ['h1', 'header', 'main a', 'main img', 'footer'].map((selector) => {
        const element = document.querySelector(selector);
        if (!element) throw new Error(`There is no ${selector}.`);
        const { display, color, font, margin, padding, width, height } = getComputedStyle(element);
        return { display, color, font, margin, padding, width, height };
      }),
    );
  const inlined = page.locator('style');
  await openUntilIdle(page, '/dashboard/myOrder');
  expect(await inlined.count()).toBe(0);
  expect(
    await page.evaluate(() =>
      [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
    ),
  ).toContain('Newsreader');
  await page.getByRole('banner').getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Hand tools for the repair of clocks', level: 1 }).waitFor();
  expect(await inlined.count()).toBe(0);
  await page.mouse.move(0, 0);
  const styles = await readStyles();
  await page.reload({ waitUntil: 'networkidle' });
  expect(await inlined.count()).toBe(1);
  expect(await readStyles()).toEqual(styles);
});
