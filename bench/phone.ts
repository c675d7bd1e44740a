import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import lighthouse from 'lighthouse';
import Trace from 'lighthouse/core/gather/gatherers/trace.js';
import { build } from 'vite';
import { openDebuggable } from '../tests/support/debuggable.ts';
import { listen } from '../tests/support/port.ts';
import { median } from './compare.ts';
import { report } from './report.ts';
import { makeFolder, openShop, root } from './shop.ts';

/**
 * The home page on Lighthouse's mid-range phone over its slow 4G (both its presets, simulated), five times, beside
 * a page that only hydrates an empty root. Linux only, where a package brings the browser.
 */
const audits = {
  fcp: 'first-contentful-paint',
  lcp: 'largest-contentful-paint',
  cls: 'cumulative-layout-shift',
  tbt: 'total-blocking-time',
} as const;

// At this one, which no figure here needs, the Chromium of the package gives its page up.
const categories = Trace.getDefaultTraceCategories().filter((name) => name !== 'blink.webdx_feature_usage');
Trace.getDefaultTraceCategories = () => categories;

const folder = makeFolder();
const shop = await openShop();
const empty = await serveEmptyRoot(folder);
const browser = await openDebuggable();
try {
  // Whatever is made at the first request is made.
  await fetch(shop.origin, { headers: { 'accept-encoding': 'br' } });
  const home: Awaited<ReturnType<typeof look>>[] = [];
  const alone: number[] = [];
  for (let run = 0; run < 5; run++) {
    home.push(await look(shop.origin));
    if (run < 3) alone.push((await look(empty.origin)).tbt);
  }
  const middle = (name: keyof (typeof home)[number]) => median(home.map((found) => found[name]));
  const ms = (milliseconds: number) => `${Math.round(milliseconds)} ms`;
  const least = Math.max(50, 1.3 * median(alone));
  report('Phone', [
    {
      name: 'Performance of the home page, of 100',
      goal: '100',
      value: `${middle('score')}`,
      passed: middle('score') >= 100,
    },
    { name: 'First contentful paint', goal: '', value: ms(middle('fcp')) },
    {
      name: 'Largest contentful paint',
      goal: '≤ 1200 ms',
      value: ms(middle('lcp')),
      passed: middle('lcp') <= 1200,
    },
    {
      name: 'Layout shift',
      goal: '0',
      value: middle('cls').toFixed(3),
      passed: middle('cls') < 0.0005,
    },
    {
      name: `Total blocking time (an empty root: ${ms(median(alone))})`,
      goal: `≤ ${ms(least)}`,
      value: ms(middle('tbt')),
      passed: middle('tbt') <= least,
    },
  ]);
} finally {
  await browser.close();
  empty.close();
  await shop.close();
  rmSync(folder, { recursive: true, force: true });
}

/** One run: the score of 100, times in milliseconds. */
async function look(address: string) {
  const ran = await lighthouse(
    address,
    { port: browser.port, logLevel: 'silent' },
    {
      extends: 'lighthouse:default',
      settings: { onlyCategories: ['performance'], disableFullPageScreenshot: true },
    },
  );
  if (!ran || ran.lhr.runtimeError)
    throw new Error(ran?.lhr.runtimeError?.message ?? 'Lighthouse gave nothing.');
  const { categories, audits: found } = ran.lhr;
  const value = (name: keyof typeof audits) => found[audits[name]]?.numericValue ?? Number.NaN;
  const score = Math.round((categories.performance?.score ?? 0) * 100);
  return { score, fcp: value('fcp'), lcp: value('lcp'), cls: value('cls'), tbt: value('tbt') };
}

/** Serves a page that is nothing but an empty root and its script, with React's production build inside. */
async function serveEmptyRoot(outDir: string) {
  process.env.NODE_ENV = 'production';
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: false,
      rolldownOptions: {
        input: 'bench/empty-root.tsx',
        output: { entryFileNames: 'empty-root.js', codeSplitting: false },
      },
    },
  });
  const script = readFileSync(join(outDir, 'empty-root.js'));
  const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Empty</title><p>Empty.</p><div id="root"></div><script type="module" src="/empty-root.js"></script></html>`;
  const server = createServer(({ url }, response) => {
    const isScript = url === '/empty-root.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? script : page);
  });
  return { origin: `http://127.0.0.1:${await listen(server)}`, close: () => server.close() };
}
