import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import lighthouse from 'lighthouse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchInSandbox, unpackChromium } from './support/chromium.ts';
import { startShop, type TestShop } from './support/shop.ts';

let shop: TestShop;
let browser: DebuggableBrowser;
const isSupported = process.platform === 'linux';
beforeAll(async () => {
  if (!isSupported) return;
  // With the open catalogue, search engines may read /products.
  shop = await startShop({ demo: true, settings: { OPEN_CATALOGUE: 'yes' } });
  await shop.listen();
  browser = await launchInSandbox(launch);
});
afterAll(async () => {
  await browser?.close();
  await shop?.close();
});

// Lighthouse needs a browser of its own, because Playwright attaches to every page.
test.skipIf(!isSupported).each(['/', '/blogs', '/login', '/products'])(
  '%s scores 100 in Lighthouse for accessibility, best practices and SEO',
  { timeout: 60_000 },
  async (path) => {
    const { cookie } = await shop.signUp();
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
      ...(path === '/products' ? { extraHeaders: { cookie } } : {}),
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

type DebuggableBrowser = { port: number; close: () => Promise<void> };

/** Launches Chromium with a remote debugging port and a new profile. Linux only. */
async function launch(hasSandbox: boolean): Promise<DebuggableBrowser> {
  const { program, env } = await unpackChromium();
  const profile = mkdtempSync(join(tmpdir(), 'shop-browser-'));
  const args = [
    '--headless',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    ...(hasSandbox ? [] : ['--no-sandbox']),
    'about:blank',
  ];
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill();
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    const port = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line)?.[1];
    if (!port) continue;
    child.stderr.resume();
    return { port: Number(port), close };
  }
  await close();
  throw new Error(`Chromium did not start: ${lines.join('\n')}`);
}
