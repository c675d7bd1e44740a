import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { buildRequest, openGenerator } from './generator.ts';
import { type Result, report } from './report.ts';
import { type BenchShop, liveKeys, makeFolder, makeLive, openShop, residentMegabytes } from './shop.ts';

/** Resident memory in mebibytes after a mixed load, with the stand-ins and as a live shop. */
const folder = makeFolder();
try {
  const withStandIns = await measure('with the stand-ins', 220, {});
  // Reuse the data, because a live shop has no demo accounts to sign in with.
  makeLive(folder);
  const without = await measure('without the stand-ins', 160, {
    ...liveKeys,
    ORDERS_PER_MINUTE: '1000000',
    UNPAID_ORDERS_PER_PERSON: '1000000',
  });
  report('Memory', [without, withStandIns]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(label: string, goal: number, settings: Record<string, string>): Promise<Result> {
  const shop = await openShop({ settings, folder });
  try {
    const fresh = residentMegabytes(shop.pid);
    await load(shop, label.startsWith('with '));
    const busy = residentMegabytes(shop.pid);
    await setTimeout(30_000);
    const settled = residentMegabytes(shop.pid);
    return {
      name: `Resident memory ${label}, 30 s after the load`,
      goal: `≤ ${goal} MB`,
      value: `${settled} MB (${fresh} at the start, ${busy} at the end of the load)`,
      passed: settled <= goal,
    };
  } finally {
    await shop.close();
  }
}

/**
 * Requests public pages, lists, sign-ins, personal pages and orders, and uploads an image. With stand-ins, also starts a payment
 * and a Google sign-in.
 */
async function load(shop: BenchShop, standIns: boolean): Promise<void> {
  using generator = openGenerator();
  const { port } = shop;
  const run = (requests: string[]) => generator.run({ port, requests, connections: 16, milliseconds: 2500 });
  const [product] = await shop.products();
  if (!product) throw new Error('There is no product.');
  await run(['/', '/blogs', '/login?from=%2Fproducts'].map((path) => buildRequest(port, path)));
  await run(
    ['/api/products', '/api/reviews', `/api/products/${product._id}`].map((path) => buildRequest(port, path)),
  );
  const person = await shop.signIn();
  for (let index = 0; index < 5; index++) await shop.signIn();
  for (let index = 0; index < 20; index++) await shop.placeOrder(person, product);
  const userHeaders = { cookie: person.cookie, 'accept-encoding': 'gzip, deflate, br' };
  await run(
    ['/dashboard/myOrder', '/products', '/dashboard'].map((path) => buildRequest(port, path, userHeaders)),
  );
  if (standIns) await shop.loadStandIns(person);
  await run([shop.orderRequest(person, product)]);
  await shop.uploadImage(person);
}
