import lighthouse from 'lighthouse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DebuggableBrowser, launchDebuggableBrowser } from './support/debuggable-browser.ts';
import { startShop, type TestShop } from './support/shop.ts';

let shop: TestShop;
let browser: DebuggableBrowser;
const isSupported = process.platform === 'linux';
beforeAll(async () => {
  if (!isSupported) return;
  // With the open catalogue, search engines may read /products.
  shop = await startShop({ demo: true, settings: { OPEN_CATALOGUE: 'yes' } });
  await shop.listen();
  browser = await launchDebuggableBrowser();
});
afterAll(async () => {
  await browser?.close();
  await shop?.close();
});

// Lighthouse needs a browser of its own, because Playwright attaches to every page.
const product = '/purchase/…';
test.skipIf(!isSupported).each(['/', '/blogs', '/login', '/products', product])(
  '%s scores 100 in Lighthouse for accessibility, best practices and SEO',
  { timeout: 60_000 },
  async (name) => {
    const { cookie } = await shop.signUp();
    const [{ _id = '' } = {}] = await shop.client().call('listProducts', { query: { limit: 1 } });
    const path = name.replace('…', _id);
    const result = await lighthouse(shop.origin + path, {
      port: browser.port,
      logLevel: 'silent',
      onlyCategories: ['accessibility', 'best-practices', 'seo'],
      // This audit does not affect the score, and its trace crashes the page in this Chromium.
      skipAudits: ['baseline'],
      // Speed is not measured, so don't wait until the page is idle.
      networkQuietThresholdMs: 0,
      cpuQuietThresholdMs: 0,
      disableFullPageScreenshot: true,
      ...(name === '/products' || name === product ? { extraHeaders: { cookie } } : {}),
    });
    if (!result) throw new Error('Lighthouse returned no result.');
    const { categories, audits, finalDisplayedUrl, runtimeError } = result.lhr;
    expect(runtimeError).toBeUndefined();
    expect(new URL(finalDisplayedUrl).pathname).toBe(path);
    const failed = Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs
        .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
        .map(({ id }) => `${id}: ${JSON.stringify(audits[id]?.details)}`),
    );
    expect(failed).toEqual([]);
    expect(Object.values(categories).map(({ score }) => score)).toEqual([1, 1, 1]);
  },
);
