import { compare } from './compare.ts';
import { buildRequest } from './generator.ts';
import { atLeast, type Result, report } from './report.ts';
import { openShop } from './shop.ts';

/** The public lists, as a visitor's programs ask for them, and one product. */
const goals = { '/api/products?limit=12': 0.85, '/api/reviews': 0.85, product: 0.7 };

const shop = await openShop();
try {
  const floorPort = await shop.startFloor();
  const [first] = await shop.products();
  const results: Result[] = [];
  for (const [name, goal] of Object.entries(goals)) {
    const path = name === 'product' ? `/api/products/${first?._id}` : name;
    const bodies = await Promise.all(
      [shop.port, floorPort].map(async (port) => (await fetch(`http://localhost:${port}${path}`)).text()),
    );
    if (bodies[0] !== bodies[1]) throw new Error(`Not the same bytes: ${bodies.join('\n')}`);
    const request = (port: number) => ({ port, requests: [buildRequest(port, path)] });
    const { ratio, shopRate, floorRate } = await compare({
      shop: request(shop.port),
      floor: request(floorPort),
    });
    const what = name === 'product' ? '`GET /api/products/{id}`' : `\`GET ${name}\``;
    const found = `${ratio.toFixed(2)} (${Math.round(shopRate)} to ${Math.round(floorRate)} a second)`;
    results.push({ name: `${what}, of the floor`, value: found, ...atLeast(goal, ratio) });
  }
  report('Lists and products', results);
} finally {
  await shop.close();
}
