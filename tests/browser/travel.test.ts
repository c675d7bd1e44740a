import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPath, openStage, type Stage } from '../screens/stage.ts';
import { phone } from '../support/browser.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const link = (page: Page, name: string) => page.getByRole('banner').getByRole('link', { name });

test.each([
  ['hovers over', (page: Page) => link(page, 'Blogs').hover()],
  ['comes by the keyboard to', (page: Page) => link(page, 'Blogs').focus()],
])('the script of a page is asked for when somebody %s a link to it', async (_, intend) => {
  const page = await stage.open();
  await openPath(page, '/login');
  await page.waitForLoadState('networkidle');
  const script = page.waitForRequest('**/static/js/blogs-*.js');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await intend(page);
  await script;
  // The page itself, or its data, only when the link is followed.
  expect(asked.filter((path) => !path.startsWith('/static/'))).toEqual([]);
  expect(new URL(page.url()).pathname).toBe('/login');
  await link(page, 'Blogs').click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
});

test('and when a finger is put on it', async () => {
  const page = await stage.open(phone);
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  const script = page.waitForRequest('**/static/js/products-*.js');
  await page
    .getByRole('link', { name: 'All products' })
    .dispatchEvent('pointerover', { pointerType: 'touch' });
  await script;
});

test('on a slow line the old page stays until the new one is there, with a sign of progress', async () => {
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
  // Every frame: which heading stands there to be seen, and whether progress is shown.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = () => {
      const heading = document.querySelector('main h1');
      const there = heading?.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const waits = document.querySelector('main [role=status]')?.textContent?.includes('Please Wait');
      const frame = `${there ? heading?.textContent : 'blank'}${waits ? ', please wait' : ''}`;
      if (seen.at(-1) !== frame) seen.push(frame);
      requestAnimationFrame(look);
    };
    look();
  });
  const home = 'Hand tools for the repair of clocks';
  await link(page, 'Blogs').click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
  await link(page, 'Home').first().click();
  await page.getByRole('heading', { name: home, level: 1 }).waitFor();
  expect(await page.evaluate(() => Reflect.get(window, 'seen'))).toEqual([
    home,
    `${home}, please wait`,
    'Blogs',
    'Blogs, please wait',
    home,
  ]);
});
