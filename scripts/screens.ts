import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { prepareScreens, type Screen } from '../tests/screens/screens.ts';
import { openPath, toBrowserCookies } from '../tests/screens/stage.ts';
import { launchBrowser } from '../tests/support/browser.ts';
import { allOffers } from '../tests/support/call-samples.ts';
import { sendMailSamples } from '../tests/support/mail-samples.ts';
import { startShop } from '../tests/support/shop.ts';

/**
 * `npm run screens`: starts a shop and saves a screenshot of every screen and of every kind of message to screens/.
 * `npm run screens -- mail` replaces only screenshots whose names start with `mail`. The README shows copies in docs/screens/.
 */

const folder = 'screens';
const maxHeightPixels = 2400;
const maxImageBytes = 150 * 1024;

const [start = ''] = process.argv.slice(2);

const variants: { name: string; only?: string[]; options: BrowserContextOptions }[] = [
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

/** Messages are about as wide as in a mail program. */
const mailVariants = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { width: 360, deviceScaleFactor: 1.5, name: 'phone', colorScheme },
  { width: 800, deviceScaleFactor: 1, name: 'desktop', colorScheme },
]);

const shop = await startShop({ demo: true, settings: allOffers });
await shop.listen();
const browser = await launchBrowser();
try {
  for (const file of existsSync(folder) ? readdirSync(folder) : [])
    if (file.startsWith(start)) rmSync(`${folder}/${file}`);
  mkdirSync(folder, { recursive: true });
  if ('mail'.startsWith(start) || start.startsWith('mail')) await saveMessages();
  const screens = (await prepareScreens(shop)).filter(({ name }) => name.startsWith(start));
  for (const { name, only, options } of variants)
    for (const screen of screens)
      if (only ? only.includes(screen.name) : name === 'phone' || !screen.phoneOnly)
        await saveScreenshot(screen, name, options);
} finally {
  await browser.close();
  await shop.close();
}
const sizes = readdirSync(folder).map((name) => statSync(`${folder}/${name}`).size);
const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
console.log(
  `${sizes.length} screenshots in ${folder}, ${kilobytes(sizes.reduce((sum, size) => sum + size, 0))} in total, the largest ${kilobytes(Math.max(...sizes))}.`,
);

async function saveScreenshot(
  screen: Screen,
  variant: string,
  options: BrowserContextOptions,
): Promise<void> {
  const { name, path, as, prepare, viewportOnly = false } = screen;
  const context = await browser.newContext({
    baseURL: shop.origin,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  });
  if (as) await context.addCookies(toBrowserCookies(as, shop.origin));
  const page = await context.newPage();
  // Freeze the time that the home page's clock shows; timers keep running.
  await page.clock.setFixedTime('2026-03-02T10:09:00Z');
  await openPath(page, path);
  await prepare?.(page);
  // Load images that are below the viewport, too.
  await page.evaluate(async () => {
    const images = [...document.querySelectorAll('img')];
    for (const image of images) image.loading = 'eager';
    await Promise.allSettled(images.map((image) => image.decode()));
    await document.fonts.ready;
  });
  const { width = 0 } = options.viewport ?? {};
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const fullPage = {
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, maxHeightPixels) },
  };
  const screenshot = await page.screenshot({ animations: 'disabled', ...(viewportOnly ? {} : fullPage) });
  writeFileSync(`${folder}/${name}-${variant}.webp`, await encode(screenshot));
  await context.close();
}

/** Every kind of message, in light and dark mode. */
async function saveMessages(): Promise<void> {
  for (const { kind, id } of await sendMailSamples(shop))
    for (const { width, deviceScaleFactor, name, colorScheme } of mailVariants) {
      const file = `mail-${kind.replaceAll(' ', '-')}-${name}${colorScheme === 'dark' ? '-dark' : ''}.webp`;
      if (!file.startsWith(start)) continue;
      const viewport = { width, height: 400 };
      const context = await browser.newContext({ viewport, deviceScaleFactor, colorScheme });
      const page = await context.newPage();
      await page.goto(`${shop.origin}/sandbox/mail/${id}/frame`);
      writeFileSync(`${folder}/${file}`, await encode(await page.screenshot({ fullPage: true })));
      await context.close();
    }
}

/** Lowers the quality until the image fits `maxImageBytes`. */
async function encode(screenshot: Buffer, quality = 65): Promise<Buffer> {
  const image = await sharp(screenshot).webp({ quality, effort: 6 }).toBuffer();
  return image.length <= maxImageBytes || quality <= 25 ? image : encode(screenshot, quality - 10);
}
