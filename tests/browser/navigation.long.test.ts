import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPath, openStage, type Stage } from '../screens/stage.ts';
import { phone } from '../support/browser.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const findLink = (page: Page, name: string) => page.getByRole('banner').getByRole('link', { name });

test.each([
  ['hovers over', (page: Page) => findLink(page, 'Blogs').hover()],
  ['focuses', (page: Page) => findLink(page, 'Blogs').focus()],
])('the script of a page is preloaded when a visitor %s a link to it', async (_, pointAtLink) => {
  const page = await stage.open();
  await openPath(page, '/login');
  await page.waitForLoadState('networkidle');
  const script = page.waitForRequest('**/static/js/blogs-*.js');
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await pointAtLink(page);
  await script;
  // The page and its data are requested only on click.
  expect(requested.filter((path) => !path.startsWith('/static/'))).toEqual([]);
  expect(new URL(page.url()).pathname).toBe('/login');
  await findLink(page, 'Blogs').click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
});

test('the script of a page is preloaded when a visitor touches a link to it', async () => {
  const page = await stage.open(phone);
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  const script = page.waitForRequest('**/static/js/products-*.js');
  await page
    .getByRole('link', { name: 'All products' })
    .dispatchEvent('pointerover', { pointerType: 'touch' });
  await script;
});

test('the catalogue is laid out the same after a click on the home page as after a reload', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  const { name } = await stage.product();
  const findPlace = () => page.getByRole('main').getByRole('heading', { name, level: 2 }).boundingBox();
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  await findLink(page, 'Products').click();
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const clicked = await findPlace();
  await page.reload({ waitUntil: 'networkidle' });
  expect(clicked).toEqual(await findPlace());
});

test('on a slow connection the old page stays, with a progress message, until the new one is ready', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 900,
    downloadThroughput: 200_000,
    uploadThroughput: 90_000,
  });
  // Record in every frame which heading is visible and whether the progress message is shown.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const observe = () => {
      const heading = document.querySelector('main h1');
      const isVisible = heading?.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const isWaiting = document.querySelector('main [role=status]')?.textContent?.includes('Please Wait');
      const frame = `${isVisible ? heading?.textContent : 'blank'}${isWaiting ? ', please wait' : ''}`;
      if (seen.at(-1) !== frame) seen.push(frame);
      requestAnimationFrame(observe);
    };
    observe();
  });
  const home = 'Hand tools for the repair of clocks';
  await findLink(page, 'Blogs').click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
  await findLink(page, 'Home').first().click();
  await page.getByRole('heading', { name: home, level: 1 }).waitFor();
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'seen')))
    .toEqual([home, `${home}, please wait`, 'Blogs', 'Blogs, please wait', home]);
});
