import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import lighthouse from 'lighthouse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpackChromium } from './support/chromium.ts';
import { makeFolder } from './support/database.ts';
import { startShop, type TestShop } from './support/shop.ts';

let shop: TestShop;
let browser: Awaited<ReturnType<typeof openDebuggable>>;
beforeAll(async () => {
  shop = await startShop({ demo: true });
  await shop.listen();
  browser = await openDebuggable();
});
afterAll(async () => {
  await browser?.close();
  await shop.close();
});

// Lighthouse drives the browser by itself, and not beside Playwright, which attaches to every page.
test.skipIf(process.platform !== 'linux').each(['/', '/blogs', '/login', '/products'])(
  'Lighthouse gives %s 100 for accessibility, best practices and SEO',
  { timeout: 60_000 },
  async (path) => {
    const { cookie } = await shop.signUp();
    const ran = await lighthouse(shop.origin + path, {
      port: browser.port,
      logLevel: 'silent',
      onlyCategories: ['accessibility', 'best-practices', 'seo'],
      // It counts for nothing, and needs a trace, at whose start this Chromium gives its page up.
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

/** A Chromium that listens for a debugger, with a profile of its own. */
async function openDebuggable(): Promise<{ port: number; close: () => Promise<void> }> {
  if (process.platform !== 'linux') return { port: 0, close: async () => undefined };
  const { program, env } = await unpackChromium();
  const profile = makeFolder();
  const args = [
    '--headless',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    // Root cannot have Chromium's sandbox.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
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
  for await (const line of createInterface(child.stderr)) {
    const port = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line)?.[1];
    if (!port) continue;
    child.stderr.resume();
    return { port: Number(port), close };
  }
  throw new Error('Chromium did not start.');
}
