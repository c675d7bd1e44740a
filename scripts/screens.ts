import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { prepareScreens, type Screen } from '../tests/screens/screens.ts';
import { openPath, toBrowserCookies } from '../tests/screens/stage.ts';
import { openBrowser } from '../tests/support/browser.ts';
import { startShop } from '../tests/support/shop.ts';

/** `npm run screens`: a picture of every screen, on a shop of its own, into docs/screens/. */

const folder = 'docs/screens';
/** What a picture shows at most, in pixels of the page. */
const tallest = 2400;
const largest = 150 * 1024;

const looks: { name: string; only?: string[]; options: BrowserContextOptions }[] = [
  {
    name: 'phone',
    options: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1.5, hasTouch: true },
  },
  { name: 'desktop', options: { viewport: { width: 1280, height: 800 } } },
  {
    name: 'desktop-dark',
    only: ['home', 'products', 'purchase', 'my-orders', 'payment'],
    options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  },
];

const shop = await startShop({ demo: true });
await shop.listen();
const browser = await openBrowser();
try {
  const screens = await prepareScreens(shop);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, only, options } of looks)
    for (const screen of screens)
      if (only ? only.includes(screen.name) : name === 'phone' || !screen.phoneOnly)
        await photograph(screen, name, options);
} finally {
  await browser.close();
  await shop.close();
}
const sizes = readdirSync(folder).map((name) => statSync(`${folder}/${name}`).size);
const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
console.log(
  `${sizes.length} pictures in ${folder}, ${kilobytes(sizes.reduce((sum, size) => sum + size, 0))} in all, the largest ${kilobytes(Math.max(...sizes))}.`,
);

async function photograph(screen: Screen, look: string, options: BrowserContextOptions): Promise<void> {
  const { name, path, as, act, inView = false } = screen;
  const context = await browser.newContext({
    baseURL: shop.origin,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  });
  if (as) await context.addCookies(toBrowserCookies(as, shop.origin));
  const page = await context.newPage();
  // The clock of the home page shows the same time in every picture; its timers go on.
  await page.clock.setFixedTime('2026-03-02T10:09:00Z');
  await openPath(page, path);
  await act?.(page);
  // Pictures come as they are scrolled to.
  await page.evaluate(async () => {
    const images = [...document.querySelectorAll('img')];
    for (const image of images) image.loading = 'eager';
    await Promise.allSettled(images.map((image) => image.decode()));
    await document.fonts.ready;
  });
  const { width = 0 } = options.viewport ?? {};
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const whole = { fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(height, tallest) } };
  const picture = await page.screenshot({ animations: 'disabled', ...(inView ? {} : whole) });
  writeFileSync(`${folder}/${name}-${look}.webp`, await shrink(picture));
  await context.close();
}

/** As good as a small file allows. */
async function shrink(picture: Buffer, quality = 65): Promise<Buffer> {
  const made = await sharp(picture).webp({ quality, effort: 6 }).toBuffer();
  return made.length <= largest || quality <= 25 ? made : shrink(picture, quality - 10);
}
