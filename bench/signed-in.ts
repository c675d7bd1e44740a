import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { Viewer } from '../contract/pages.ts';
import { getEntryFileName } from '../scripts/built-name.ts';
import type { ShopData } from '../web/shop.tsx';
import { median } from './compare.ts';
import { buildRequest, openGenerator } from './generator.ts';
import { atLeast, report, short } from './report.ts';
import { makeFolder, openShop, root, startArguments } from './shop.ts';

// What renders alone has the memory that the shop has: V8's bounds count for much in it.
const bounds = startArguments.slice(
  0,
  startArguments.findIndex((each) => !each.startsWith('--')),
);
if (!bounds.every((each) => process.execArgv.includes(each))) {
  const { status } = spawnSync(process.execPath, [...bounds, ...process.argv.slice(1)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

/** My Orders with 20 orders: session, queries, rendering and compression, against `renderToString` of it alone. */
const folder = makeFolder();
const shop = await openShop();
using generator = openGenerator();
try {
  const person = await shop.signIn();
  const [product] = await shop.products();
  for (let at = 0; at < 20; at++) await shop.placeOrder(person, product);
  const { cookie } = person;
  const address = `${shop.origin}/dashboard/myOrder`;
  const html = await (await fetch(address, { headers: { cookie } })).text();

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
    address,
    viewer: data.loaderData.root.viewer,
    shop: data.shop,
    fetch: (request) => fetch(request, { headers: { cookie } }),
  });
  if (!html.includes(render())) throw new Error('It does not render what the shop does.');

  const load = {
    port: shop.port,
    requests: [
      buildRequest(shop.port, '/dashboard/myOrder', { cookie, 'accept-encoding': 'gzip, deflate, br' }),
    ],
  };
  const found: { ratio: number; pages: number; renders: number }[] = [];
  for (let round = -3; round < (short ? 3 : 12); round++) {
    const renders = countRenders(render, 700);
    const { responses: answered, seconds } = await generator.run({
      ...load,
      connections: 8,
      milliseconds: 1000,
    });
    const pages = answered / seconds;
    if (round >= 0) found.push({ ratio: pages / renders, pages, renders });
  }
  const ratio = median(found.map((round) => round.ratio));
  const pages = median(found.map((round) => round.pages));
  const renders = median(found.map((round) => round.renders));
  // Of the short form nobody wants it.
  const milliseconds = short ? 1000 : 10_000;
  const half = await generator.run({ ...load, connections: 32, milliseconds, rate: pages / 2 });
  report('Signed-in page', [
    {
      name: 'My Orders, 20 of them, of `renderToString` alone',
      value: `${ratio.toFixed(2)} (${Math.round(pages)} to ${Math.round(renders)} a second)`,
      ...atLeast(0.6, ratio),
    },
    {
      name: `p99 at half that load (${Math.round(half.responses / half.seconds)} a second)`,
      goal: '< 20 ms',
      value: `${half.p99.toFixed(1)} ms`,
      passed: half.p99 < 20,
    },
  ]);
} finally {
  await shop.close();
  rmSync(folder, { recursive: true });
}

function countRenders(render: () => string, milliseconds: number): number {
  const began = performance.now();
  let count = 0;
  for (; performance.now() - began < milliseconds; count++) render();
  return (count / (performance.now() - began)) * 1000;
}
