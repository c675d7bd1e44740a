/** The pages of an open catalogue as a visitor's browser requests them; the baseline serves the same bytes from memory. */

import { type Comparison, compare, compareProcesses } from './compare.ts';
import { buildRequest } from './generator.ts';
import { atLeast, report } from './report.ts';
import { openShop } from './shop.ts';

/** More than the cache holds, so that each one is rendered. */
const floodAddresses = 2000;
const names = ['Products', 'A product'];

const comparisons = await compareProcesses(comparePages);
report(
  'Open catalogue',
  names.flatMap((name, at) => {
    const [cached, rendered] = [comparisons[at], comparisons[at + names.length]];
    if (!cached || !rendered) throw new Error('Nothing was measured.');
    return [
      {
        name: `${name} for a visitor, vs. baseline`,
        value: `${cached.ratio.toFixed(2)} (${Math.round(cached.shopRate)} vs. ${Math.round(cached.baselineRate)} per second)`,
        ...atLeast(0.8, cached.ratio),
      },
      {
        name: `${name}, a new URL each time`,
        goal: '',
        value: `${Math.round(rendered.shopRate)} per second`,
      },
    ];
  }),
);

/** Each page from the cache, then each with a new URL each time. */
async function comparePages(): Promise<Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const settings = { OPEN_CATALOGUE: 'yes' };
  const shop = stack.adopt(await openShop({ settings }), (opened) => opened.close());
  const baselinePort = await shop.startBaseline();
  const headers = { 'accept-encoding': 'gzip, deflate, br' };
  const [product] = await shop.products();
  const request = (port: number, ...paths: string[]) => ({
    port,
    requests: paths.map((path) => buildRequest(port, path, headers)),
  });
  const paths = ['/products', `/purchase/${product?._id}`];
  const serve = async (path: string) => {
    const body = await shop.rawBody(path, headers);
    await fetch(`http://127.0.0.1:${baselinePort}/page`, { method: 'POST', body });
  };
  const cached: Comparison[] = [];
  for (const path of paths) {
    await serve(path);
    cached.push(await compare({ shop: request(shop.port, path), baseline: request(baselinePort, '/') }));
  }
  // Afterwards: it fills the heap.
  const rendered: Comparison[] = [];
  for (const path of paths) {
    await serve(path);
    const urls = Array.from({ length: floodAddresses }, (_, flood) => `${path}?flood=${flood}`);
    const targets = { shop: request(shop.port, ...urls), baseline: request(baselinePort, '/') };
    rendered.push(await compare(targets, { rounds: 3 }));
  }
  return [...cached, ...rendered];
}
