/**
 * My Orders with 20 orders: session, queries, rendering and compression, compared with `renderToString` alone. It also
 * compares the page with 20 purchases of three orders to the page with 20 orders.
 */

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { Viewer } from '../contract/pages.ts';
import { getEntryFileName } from '../scripts/built-name.ts';
import type { ShopData } from '../web/shop.tsx';
import { compare, compareProcesses, median } from './compare.ts';
import { buildRequest, openGenerator } from './generator.ts';
import { atLeast, type Result, report, short } from './report.ts';
import { makeFolder, openShop, root, startArguments } from './shop.ts';

// Render with the shop's V8 memory flags, which affect the speed a lot.
const memoryFlags = startArguments.slice(
  0,
  startArguments.findIndex((each) => !each.startsWith('--')),
);
if (!memoryFlags.every((each) => process.execArgv.includes(each))) {
  const { status } = spawnSync(process.execPath, [...memoryFlags, ...process.argv.slice(1)], {
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

const folder = makeFolder();
const shop = await openShop();
using generator = openGenerator();
try {
  const person = await shop.signIn();
  const [product] = await shop.products();
  for (let index = 0; index < 20; index++) await shop.placeOrder(person, product);
  const { cookie } = person;
  const url = `${shop.origin}/dashboard/myOrder`;
  const html = await (await fetch(url, { headers: { cookie } })).text();

  process.env.NODE_ENV = 'production';
  const entry = 'bench/render-alone.ts';
  const built = getEntryFileName(
    await build({ root, logLevel: 'error', build: { ssr: entry, outDir: folder, emptyOutDir: false } }),
  );
  const { prepare }: typeof import('./render-alone.ts') = await import(
    pathToFileURL(join(folder, built)).href
  );
  const data: { shop: ShopData; loaderData: { root: { viewer: Viewer } } } = JSON.parse(
    /id="page-data">(.*?)<\/script>/s.exec(html)?.[1] ?? '',
  );
  const render = await prepare({
    url,
    viewer: data.loaderData.root.viewer,
    shop: data.shop,
    fetch: (request) => fetch(request, { headers: { cookie } }),
  });
  // The shop moves the link into the head.
  const rendered = render().replace(/<link rel="stylesheet"[^>]*>/, '');
  if (!html.includes(rendered)) throw new Error('The rendered page differs from the shop’s.');

  const load = requestMyOrders(shop.port, cookie);
  const results: { ratio: number; pages: number; renders: number }[] = [];
  for (let round = -3; round < (short ? 3 : 12); round++) {
    const renders = countRenders(render, 700);
    const { responses, seconds } = await generator.run({
      ...load,
      connections: 8,
      milliseconds: 1000,
    });
    const pages = responses / seconds;
    if (round >= 0) results.push({ ratio: pages / renders, pages, renders });
  }
  const ratio = median(results.map((round) => round.ratio));
  const pages = median(results.map((round) => round.pages));
  const renders = median(results.map((round) => round.renders));
  // `--short` does not report this figure, so a second is enough.
  const milliseconds = short ? 1000 : 10_000;
  const halfLoad = await generator.run({ ...load, connections: 32, milliseconds, rate: pages / 2 });
  // The rounds of `--short` are too short for pages with so many orders.
  const purchases = short ? [] : [await comparePurchases()];
  report('Signed-in page', [
    {
      name: 'My Orders with 20 orders, vs. `renderToString` alone',
      value: `${ratio.toFixed(2)} (${Math.round(pages)} vs. ${Math.round(renders)} per second)`,
      ...atLeast(0.6, ratio),
    },
    {
      name: `p99 at half that load (${Math.round(halfLoad.responses / halfLoad.seconds)} per second)`,
      goal: '< 20 ms',
      value: `${halfLoad.p99.toFixed(1)} ms`,
      passed: halfLoad.p99 < 20,
    },
    ...purchases,
  ]);
} finally {
  await shop.close();
  rmSync(folder, { recursive: true });
}

/**
 * Compares My Orders with 20 purchases of three orders to My Orders with 20 orders, each in a shop of its own.
 *
 * The page with purchases may take at most 1.2 times as long as the page with 20 orders took before purchases existed (commit
 * d21e02d5). Since then, the page with 20 orders has become 1.1 times as fast (measured side by side on 2026-11-26). So the ratio
 * to today's page must be at least 1 / 1.2 / 1.1.
 */
async function comparePurchases(): Promise<Result> {
  const [middle] = await compareProcesses(async () => {
    await using stack = new AsyncDisposableStack();
    const open = async (place: 'placeOrder' | 'placePurchase') => {
      const opened = stack.adopt(await openShop(), (each) => each.close());
      const person = await opened.signIn();
      const products = (await opened.products()).slice(0, 3);
      for (let index = 0; index < 20; index++)
        await (place === 'placePurchase'
          ? opened.placePurchase(person, products)
          : opened.placeOrder(person, products[0]));
      return requestMyOrders(opened.port, person.cookie);
    };
    const targets = { baseline: await open('placeOrder'), shop: await open('placePurchase') };
    return [await compare(targets, { rounds: 7, connections: 8 })];
  });
  if (!middle) throw new Error('Nothing was measured.');
  const { ratio, shopRate, baselineRate } = middle;
  return {
    name: 'My Orders with 20 purchases of 3 orders, vs. 20 orders',
    value: `${ratio.toFixed(2)} (${Math.round(shopRate)} vs. ${Math.round(baselineRate)} per second)`,
    ...atLeast(0.76, ratio),
  };
}

function requestMyOrders(port: number, cookie: string) {
  const headers = { cookie, 'accept-encoding': 'gzip, deflate, br' };
  return { port, requests: [buildRequest(port, '/dashboard/myOrder', headers)] };
}

function countRenders(render: () => string, milliseconds: number): number {
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < milliseconds; count++) render();
  return (count / (performance.now() - startedAt)) * 1000;
}
