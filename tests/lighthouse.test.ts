import lighthouse from 'lighthouse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDebuggable } from './support/debuggable.ts';
import { startShop, type TestShop } from './support/shop.ts';

let shop: TestShop;
let browser: Awaited<ReturnType<typeof openDebuggable>>;
const there = process.platform === 'linux';
beforeAll(async () => {
  if (!there) return;
  shop = await startShop({ demo: true });
  await shop.listen();
  browser = await openDebuggable();
});
afterAll(async () => {
  await browser?.close();
  await shop?.close();
});

// Lighthouse drives the browser by itself, and not beside Playwright, which attaches to every page.
test.skipIf(!there).each(['/', '/blogs', '/login', '/products'])(
  'Lighthouse gives %s 100 for accessibility, best practices and SEO',
  { timeout: 60_000 },
  async (path) => {
    const { cookie } = await shop.signUp();
    const ran = await lighthouse(shop.origin + path, {
      port: browser.port,
      logLevel: 'silent',
      onlyCategories: ['accessibility', 'best-practices', 'seo'],
      // It counts for nothing, and needs a trace, at which this Chromium gives its page up (bench/phone.ts).
      skipAudits: ['baseline'],
      // Its speed is not asked for, so nothing needs to come to rest.
      networkQuietThresholdMs: 0,
      cpuQuietThresholdMs: 0,
      disableFullPageScreenshot: true,
      ...(path === '/products' ? { extraHeaders: { cookie } } : {}),
    });
    if (!ran) throw new Error('Lighthouse gave nothing.');
    const { categories, audits, finalDisplayedUrl, runtimeError } = ran.lhr;
    expect(runtimeError).toBeUndefined();
    expect(new URL(finalDisplayedUrl).pathname).toBe(path);
    const wrong = Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs
        .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
        .map(({ id }) => `${id}: ${JSON.stringify(audits[id]?.details)}`),
    );
    expect(wrong).toEqual([]);
    expect(Object.values(categories).map(({ score }) => score)).toEqual([1, 1, 1]);
  },
);
