/**
 * Five runs of Lighthouse on the home page and the open catalogue with its simulated mid-range phone and slow 4G, compared
 * with a page that only hydrates an empty root. Linux only, where a package provides the browser.
 */

import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import lighthouse from 'lighthouse';
import Trace from 'lighthouse/core/gather/gatherers/trace.js';
import { build } from 'vite';
import { launchDebuggableBrowser } from '../tests/support/debuggable-browser.ts';
import { listenOnFreePort } from '../tests/support/port.ts';
import { median } from './compare.ts';
import { report } from './report.ts';
import { makeFolder, openShop, root } from './shop.ts';

const audits = {
  fcp: 'first-contentful-paint',
  lcp: 'largest-contentful-paint',
  cls: 'cumulative-layout-shift',
  tbt: 'total-blocking-time',
} as const;

// The packaged Chromium crashes the page with this category, which no figure here needs.
const categories = Trace.getDefaultTraceCategories().filter((name) => name !== 'blink.webdx_feature_usage');
Trace.getDefaultTraceCategories = () => categories;

const folder = makeFolder();
const shop = await openShop();
const openCatalogue = await openShop({ settings: { OPEN_CATALOGUE: 'yes' } });
const catalogueUrl = `${openCatalogue.origin}/products`;
const empty = await serveEmptyRoot(folder);
const browser = await launchDebuggableBrowser();
try {
  // Warm up.
  for (const url of [shop.origin, catalogueUrl]) await fetch(url, { headers: { 'accept-encoding': 'br' } });
  const home: Awaited<ReturnType<typeof runLighthouse>>[] = [];
  const catalogueScores: number[] = [];
  const emptyTbt: number[] = [];
  for (let run = 0; run < 5; run++) {
    home.push(await runLighthouse(shop.origin));
    catalogueScores.push((await runLighthouse(catalogueUrl)).score);
    if (run < 3) emptyTbt.push((await runLighthouse(empty.origin)).tbt);
  }
  const medianOf = (name: keyof (typeof home)[number]) => median(home.map((run) => run[name]));
  const ms = (milliseconds: number) => `${Math.round(milliseconds)} ms`;
  const maxTbt = Math.max(50, 1.3 * median(emptyTbt));
  report('Phone', [
    {
      name: 'Performance score of the home page',
      goal: '100',
      value: `${medianOf('score')}`,
      passed: medianOf('score') >= 100,
    },
    { name: 'First contentful paint', goal: '', value: ms(medianOf('fcp')) },
    {
      name: 'Largest contentful paint',
      goal: '≤ 1200 ms',
      value: ms(medianOf('lcp')),
      passed: medianOf('lcp') <= 1200,
    },
    {
      name: 'Layout shift',
      goal: '0',
      value: medianOf('cls').toFixed(3),
      passed: medianOf('cls') < 0.0005,
    },
    {
      name: `Total blocking time (an empty root: ${ms(median(emptyTbt))})`,
      goal: `≤ ${ms(maxTbt)}`,
      value: ms(medianOf('tbt')),
      passed: medianOf('tbt') <= maxTbt,
    },
    {
      name: 'Performance score of `/products` with the open catalogue',
      goal: '100',
      value: `${median(catalogueScores)}`,
      passed: median(catalogueScores) >= 100,
    },
  ]);
} finally {
  await browser.close();
  empty.close();
  await openCatalogue.close();
  await shop.close();
  rmSync(folder, { recursive: true, force: true });
}

/** One run: a score from 0 to 100, times in milliseconds. */
async function runLighthouse(url: string) {
  const result = await lighthouse(
    url,
    { port: browser.port, logLevel: 'silent' },
    {
      extends: 'lighthouse:default',
      settings: { onlyCategories: ['performance'], disableFullPageScreenshot: true },
    },
  );
  if (!result || result.lhr.runtimeError)
    throw new Error(result?.lhr.runtimeError?.message ?? 'Lighthouse returned no result.');
  const { categories, audits: results } = result.lhr;
  const value = (name: keyof typeof audits) => results[audits[name]]?.numericValue ?? Number.NaN;
  const score = Math.round((categories.performance?.score ?? 0) * 100);
  return { score, fcp: value('fcp'), lcp: value('lcp'), cls: value('cls'), tbt: value('tbt') };
}

/** Serves a page with only an empty root and its script, which includes React's production build. */
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
  return { origin: `http://127.0.0.1:${await listenOnFreePort(server)}`, close: () => server.close() };
}
