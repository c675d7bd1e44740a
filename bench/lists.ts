/** The public lists and one product, requested anonymously. */

import { compare } from './compare.ts';
import { buildRequest } from './generator.ts';
import { atLeast, type Result, report } from './report.ts';
import { openShop } from './shop.ts';

const goals = { '/api/products?limit=12': 1.5, '/api/reviews': 1.5, product: 0.7 };

const shop = await openShop();
try {
  const baselinePort = await shop.startBaseline();
  const [first] = await shop.products();
  const results: Result[] = [];
  for (const [name, goal] of Object.entries(goals)) {
    const path = name === 'product' ? `/api/products/${first?._id}` : name;
    const bodies = await Promise.all(
      [shop.port, baselinePort].map(async (port) => (await fetch(`http://localhost:${port}${path}`)).text()),
    );
    if (bodies[0] !== bodies[1]) throw new Error(`The bodies differ: ${bodies.join('\n')}`);
    const request = (port: number) => ({ port, requests: [buildRequest(port, path)] });
    const { ratio, shopRate, baselineRate } = await compare({
      shop: request(shop.port),
      baseline: request(baselinePort),
    });
    const label = name === 'product' ? '`GET /api/products/{id}`' : `\`GET ${name}\``;
    const value = `${ratio.toFixed(2)} (${Math.round(shopRate)} vs. ${Math.round(baselineRate)} per second)`;
    results.push({ name: `${label}, vs. baseline`, value, ...atLeast(goal, ratio) });
  }
  report('Lists and products', results);
} finally {
  await shop.close();
}
