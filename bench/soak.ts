/**
 * Checks that memory stays flat under a mixed load at the rate of a busy shop, and exits with 1 if it does not. Not
 * part of `npm run bench`, whose benchmarks take less than two minutes each.
 */

import { setTimeout } from 'node:timers/promises';
import { buildRequest, openGenerator } from './generator.ts';
import { classifyTrend, flatThreshold } from './memory-trend.ts';
import { report } from './report.ts';
import { openShop, residentMegabytes } from './shop.ts';

/** The first argument; ten by default. */
const minutes = Number(process.argv[2] ?? 10);
const intervalMs = 10_000;
const shop = await openShop();
using generator = openGenerator();
try {
  const samples = await soak();
  const { slope, low, high, verdict } = classifyTrend(samples, intervalMs);
  const half = samples.slice(Math.floor(samples.length / 2));
  const show = (value: number) => `${value >= 0 ? '+' : ''}${value.toFixed(2)}`;
  report('Soak', [
    {
      name: `Resident memory over the second half of ${minutes} minutes of mixed load, with the stand-ins`,
      goal: `below +${flatThreshold} MB per minute, with 95 % confidence`,
      value: `${verdict}: ${show(slope)} MB per minute (${show(low)} to ${show(high)}; ${Math.min(...half)} to ${Math.max(...half)} MB)`,
      passed: verdict === 'flat',
    },
  ]);
  if (verdict !== 'flat') process.exitCode = 1;
} finally {
  await shop.close();
}

/** Samples the resident memory in megabytes every `intervalMs`. */
async function soak(): Promise<number[]> {
  const { port } = shop;
  const person = await shop.signIn();
  const [product] = await shop.products();
  if (!product) throw new Error('There is no product.');
  for (let index = 0; index < 20; index++) await shop.placeOrder(person, product);
  await shop.loadStandIns(person);
  const userHeaders = { cookie: person.cookie, 'accept-encoding': 'gzip, deflate, br' };
  const requests = [
    buildRequest(port, '/'),
    buildRequest(port, '/api/products'),
    buildRequest(port, `/api/products/${product._id}`),
    buildRequest(port, '/dashboard/myOrder', userHeaders),
    buildRequest(port, '/products', userHeaders),
    buildRequest(port, '/blogs', { 'accept-encoding': 'br' }),
    buildRequest(port, '/api/reviews'),
    shop.orderRequest(person, product),
  ];
  const samples: number[] = [];
  for (let left = Math.round((minutes * 60_000) / intervalMs); left > 0; left--) {
    const nextSample = setTimeout(intervalMs);
    await generator.run({ port, requests, connections: 8, milliseconds: intervalMs - 1000, rate: 100 });
    await shop.signIn();
    // Stay within the rate limit of 60 uploads in ten minutes.
    if (left % 2 === 0) await shop.uploadImage(person);
    await nextSample;
    samples.push(residentMegabytes(shop.pid));
    process.stderr.write(`${samples.at(-1)} `);
  }
  process.stderr.write('\n');
  return samples;
}
