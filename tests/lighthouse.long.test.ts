import lighthouse from 'lighthouse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DebuggableBrowser, launchDebuggableBrowser } from './support/debuggable-browser.ts';
import { saveCheckout, setUpDelivery } from './support/delivery.ts';
import { placePurchase } from './support/payments.ts';
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

const product = '/purchase/…';
test.skipIf(!isSupported).each(['/', '/blogs', '/login', '/products', product])(
  '%s scores 100 in Lighthouse for accessibility, best practices and SEO',
  { timeout: 60_000 },
  async (name) => {
    const { cookie } = await shop.signUp();
    const [{ _id = '' } = {}] = await shop.client().call('listProducts', { query: { limit: 1 } });
    const isSignedIn = name === '/products' || name === product;
    await expectFullScores(
      shop.origin + name.replace('…', _id),
      ['accessibility', 'best-practices', 'seo'],
      isSignedIn ? cookie : undefined,
    );
  },
);

test.skipIf(!isSupported)(
  'the checkout scores 100 in Lighthouse for accessibility, before and after the delivery is chosen',
  { timeout: 120_000 },
  async () => {
    await using trading = await startShop();
    await trading.listen();
    await setUpDelivery(trading);
    const tom = await trading.signUp();
    const purchase = await placePurchase(trading, tom, [[await trading.addProduct(), 2]]);
    const url = `${trading.origin}/dashboard/payment/${purchase.orders[0]?._id}`;
    await expectFullScores(url, ['accessibility'], tom.cookie);
    await saveCheckout(trading, tom, purchase, 'post');
    await expectFullScores(url, ['accessibility'], tom.cookie);
  },
);

/** Lighthouse needs a browser of its own, because Playwright attaches to every page. */
async function expectFullScores(url: string, onlyCategories: string[], cookie?: string): Promise<void> {
  const result = await lighthouse(url, {
    port: browser.port,
    logLevel: 'silent',
    onlyCategories,
    // This audit does not affect the score, and its trace crashes the page in this Chromium.
    skipAudits: ['baseline'],
    // Speed is not measured, so don't wait until the page is idle.
    networkQuietThresholdMs: 0,
    cpuQuietThresholdMs: 0,
    disableFullPageScreenshot: true,
    ...(cookie ? { extraHeaders: { cookie } } : {}),
  });
  if (!result) throw new Error('Lighthouse returned no result.');
  const { categories, audits, finalDisplayedUrl, runtimeError } = result.lhr;
  expect(runtimeError).toBeUndefined();
  expect(finalDisplayedUrl).toBe(url);
  const failed = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => `${id}: ${JSON.stringify(audits[id]?.details)}`),
  );
  expect(failed).toEqual([]);
  expect(Object.values(categories).map(({ score }) => score)).toEqual(onlyCategories.map(() => 1));
}
