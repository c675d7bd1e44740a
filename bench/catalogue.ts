/** The pages of an open catalogue as a visitor's browser requests them; the baseline serves the same bytes from memory. */

import { compare } from './compare.ts';
import { buildRequest } from './generator.ts';
import { atLeast, report } from './report.ts';
import { openShop } from './shop.ts';

/** More than the cache holds, so that each one is rendered. */
const floodAddresses = 2000;

const shop = await openShop({ settings: { OPEN_CATALOGUE: 'yes' } });
try {
  const baselinePort = await shop.startBaseline();
  const headers = { 'accept-encoding': 'gzip, deflate, br' };
  const [product] = await shop.products();
  const request = (port: number, ...paths: string[]) => ({
    port,
    requests: paths.map((path) => buildRequest(port, path, headers)),
  });
  const rows = [];
  for (const [name, path] of [
    ['Products', '/products'],
    ['A product', `/purchase/${product?._id}`],
  ] as const) {
    const body = await shop.rawBody(path, headers);
    await fetch(`http://127.0.0.1:${baselinePort}/page`, { method: 'POST', body });
    const baseline = request(baselinePort, '/');
    const cached = await compare({ shop: request(shop.port, path), baseline });
    const paths = Array.from({ length: floodAddresses }, (_, flood) => `${path}?flood=${flood}`);
    const rendered = await compare({ shop: request(shop.port, ...paths), baseline });
    rows.push(
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
    );
  }
  report('Open catalogue', rows);
} finally {
  await shop.close();
}
