import { setTimeout } from 'node:timers/promises';
import { buildRequest, openGenerator } from './generator.ts';
import { classifyTrend, flatBelow } from './memory-trend.ts';
import { report } from './report.ts';
import { openShop, residentMegabytes } from './shop.ts';

/**
 * Whether memory stays where it is: everything is used in turn at a rate that a busy shop may have, for ten minutes or
 * as many as the argument says. Exit code 1 if it does not. Not part of `npm run bench`, where every question takes
 * less than two minutes.
 */
const minutes = Number(process.argv[2] ?? 10);
const everyMs = 10_000;
const shop = await openShop();
using generator = openGenerator();
try {
  const samples = await soak();
  const { slope, low, high, verdict } = classifyTrend(samples, everyMs);
  const half = samples.slice(Math.floor(samples.length / 2));
  const show = (value: number) => `${value >= 0 ? '+' : ''}${value.toFixed(2)}`;
  report('Soak', [
    {
      name: `Resident over the second half of ${minutes} minutes of mixed load, with the stand-ins`,
      goal: `below +${flatBelow} MB a minute, with 95 % confidence`,
      value: `${verdict}: ${show(slope)} MB a minute (${show(low)} to ${show(high)}; ${Math.min(...half)} to ${Math.max(...half)} MB)`,
      passed: verdict === 'flat',
    },
  ]);
  if (verdict !== 'flat') process.exitCode = 1;
} finally {
  await shop.close();
}

/** Megabytes resident, every ten seconds. */
async function soak(): Promise<number[]> {
  const { port } = shop;
  const person = await shop.signIn();
  const [product] = await shop.products();
  if (!product) throw new Error('There is no product.');
  for (let at = 0; at < 20; at++) await shop.placeOrder(person, product);
  await shop.askStandIns(person);
  const own = { cookie: person.cookie, 'accept-encoding': 'gzip, deflate, br' };
  const requests = [
    buildRequest(port, '/'),
    buildRequest(port, '/api/products'),
    buildRequest(port, `/api/products/${product._id}`),
    buildRequest(port, '/dashboard/myOrder', own),
    buildRequest(port, '/products', own),
    buildRequest(port, '/blogs', { 'accept-encoding': 'br' }),
    buildRequest(port, '/api/reviews'),
    shop.orderRequest(person, product),
  ];
  const samples: number[] = [];
  for (let left = Math.round((minutes * 60_000) / everyMs); left > 0; left--) {
    const rested = setTimeout(everyMs);
    await generator.run({ port, requests, connections: 8, milliseconds: everyMs - 1000, rate: 100 });
    await shop.signIn();
    // Sixty in ten minutes is what one person may.
    if (left % 2 === 0) await shop.uploadPicture(person);
    await rested;
    samples.push(residentMegabytes(shop.pid));
    process.stderr.write(`${samples.at(-1)} `);
  }
  process.stderr.write('\n');
  return samples;
}
