import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage } from '../screens/stage.ts';
import { stopClock } from '../screens/toasts.ts';
import { placeOrder } from '../support/payments.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** The scripts that a page asks for. */
function watchScripts(page: Page): string[] {
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
  });
  return scripts;
}

const settled = (page: Page, path: string) => page.goto(path, { waitUntil: 'networkidle' });

/** A GET as it goes over the wire: all bytes of the answer, its head with them. */
async function wire(path: string): Promise<Buffer> {
  const { port, host } = new URL(stage.shop.origin);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: br\r\nconnection: close\r\n\r\n`);
  return buffer(socket);
}

test('the home page and its head are within 14,600 bytes, the first round of a new connection', async () => {
  await wire('/');
  const answer = await wire('/');
  expect(answer.toString('latin1', 0, 2000)).toMatch(/\r\ncontent-encoding: br\r\n/);
  expect(answer.length).toBeLessThanOrEqual(14_600);
});

test('the home page has at most 100,000 bytes of script, Brotli, and nothing from elsewhere', async () => {
  // A request to another host fails the test by itself.
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
  await settled(page, '/');
  const bytes = await Promise.all(sizes);
  expect(bytes.length).toBeGreaterThan(2);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(100_000);
});

test('the first picture is asked for by the HTML, before every script but the one that awaits its painting', async () => {
  const page = await stage.open();
  await stopClock(page);
  const scripts = watchScripts(page);
  await page.route('**/movement-*.svg', () => undefined);
  const picture = page.waitForRequest('**/movement-*.svg');
  await page.goto('/', { waitUntil: 'commit' });
  await picture;
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(scripts.length).toBeLessThanOrEqual(1);
  // It never comes: the page does not wait for it for ever.
  const next = page.waitForRequest('**/framework-*.js');
  await page.getByRole('contentinfo').waitFor();
  await expect.poll(() => scripts.length).toBe(1);
  await page.clock.runFor(3000);
  await next;
});

test('whoever presses something before the scripts were asked for gets them at once', async () => {
  const page = await stage.open();
  await stopClock(page);
  const scripts = watchScripts(page);
  await settled(page, '/');
  expect(scripts).toHaveLength(1);
  const next = page.waitForRequest('**/framework-*.js');
  await page.keyboard.press('Tab');
  await next;
});

test('scripts that were asked for and do not come: the page says so once, and Retry loads it anew', async () => {
  const page = await stage.open({ expected: [/ERR_FAILED/] });
  const thrown: Error[] = [];
  page.on('pageerror', (error) => thrown.push(error));
  const scripts = watchScripts(page);
  await page.route('**/framework-*.js', (route) => route.abort());
  await settled(page, '/');
  await page.getByRole('alert').getByText('Loading chunk failed').waitFor();
  const asked = scripts.length;
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Shift');
  expect(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(1))))).toBe(
    1,
  );
  expect(scripts).toHaveLength(asked);
  expect(thrown).toEqual([]);
  await page.unrouteAll();
  const next = page.waitForResponse('**/framework-*.js');
  await page.getByRole('link', { name: 'Retry' }).click();
  expect((await next).ok()).toBe(true);
  await page.getByRole('alert').waitFor({ state: 'hidden' });
});

test('a page with a form has its scripts at once, and every page of somebody who has signed in', async () => {
  const [tom, ada] = [await stage.shop.signUp(), await stage.shop.admin()];
  for (const [path, as] of [
    ['/login'],
    ['/', tom],
    ['/dashboard/myOrder', tom],
    ['/dashboard/allOrders', ada],
    ['/dashboard/users', ada],
    ['/dashboard/manageProduct', ada],
  ] as const) {
    const page = await stage.open(as ? { as } : {});
    await stopClock(page);
    const scripts = watchScripts(page);
    await settled(page, path);
    expect(scripts.join(), path).toContain('framework-');
    await page.close();
  }
});

test('without script the home page can be seen and read, and its links lead on', async () => {
  const page = await stage.open({ javaScriptEnabled: false });
  await settled(page, '/');
  await page.getByRole('heading', { name: 'Hand tools for the repair of clocks', level: 1 }).waitFor();
  const { name } = await stage.product();
  expect(await page.getByRole('heading', { name, level: 3 }).isVisible()).toBe(true);
  expect(
    await page
      .getByRole('listitem')
      .filter({ hasText: /Rated \d of 5/ })
      .count(),
  ).toBe(12);
  expect(await page.locator('main img').first().isVisible()).toBe(true);
  await page.getByRole('link', { name: 'Blogs' }).first().click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
});

test('the payment script is asked for on payment pages only', async () => {
  const person = await stage.shop.signUp();
  const order = await placeOrder(stage.shop, person, await stage.product());
  const page = await stage.open({ as: person });
  const scripts = watchScripts(page);
  const asked = () => scripts.filter((path) => /stripe|payment/.test(path));
  for (const path of ['/', '/products', `/purchase/${order.orderId}`, '/dashboard/myOrder'])
    await settled(page, path);
  await page.getByRole('link', { name: /^Pay for / }).hover();
  await page.getByRole('link', { name: 'My Profile' }).first().hover();
  await page.waitForLoadState('networkidle');
  expect(asked()).toEqual([]);
  await page.getByRole('link', { name: /^Pay for / }).click();
  await page.getByRole('heading', { name: /pay/i, level: 1 }).waitFor();
  expect(asked().join()).toContain('stripe');
});

test('every picture has its box, the first is asked for at once and those below the fold when they are near', async () => {
  const page = await stage.open({ as: await stage.shop.admin(), viewport: { width: 375, height: 740 } });
  const { _id } = await stage.product();
  for (const path of ['/', '/products', `/purchase/${_id}`, '/dashboard/manageProduct']) {
    await settled(page, path);
    const pictures = await page.locator('img').evaluateAll((all) =>
      all.map((img) => ({
        address: img.getAttribute('src') ?? '',
        boxed: img.hasAttribute('width') && img.hasAttribute('height'),
        // A picture of up to 64 pixels needs only the narrowest width.
        widths:
          (img.hasAttribute('srcset') && img.hasAttribute('sizes')) ||
          (Number(img.getAttribute('width')) <= 64 && /-240\.webp$/.test(img.getAttribute('src') ?? '')),
        lazy: img.getAttribute('loading') === 'lazy',
        below: img.getBoundingClientRect().top > innerHeight,
      })),
    );
    expect(pictures.length, path).toBeGreaterThan(0);
    for (const picture of pictures) {
      const { address, widths, lazy, below } = picture;
      expect({ path, ...picture }).toMatchObject({ boxed: true });
      expect(address).toMatch(/\.(webp|svg)$/);
      if (address.startsWith('/images/')) expect({ path, address, widths }).toMatchObject({ widths: true });
      if (below) expect({ path, address, lazy }).toMatchObject({ lazy: true });
    }
  }
});
