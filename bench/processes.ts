/**
 * Throughput of one, two and three processes on one PostgreSQL, each on its own port. The load generator spreads its
 * connections over them. They are measured alternately in short rounds, so other load on the machine slows all equally.
 */

import pg from 'pg';
import { startPostgres } from '../tests/support/postgres.ts';
import { median } from './compare.ts';
import { buildRequest, openGenerator } from './generator.ts';
import type { LoadResult } from './load.ts';
import { describeLimit, type ProcessorTime, startProcessorTimer } from './processor-time.ts';
import { type Result, report, short } from './report.ts';
import { type BenchShop, openShop } from './shop.ts';

const counts = [1, 2, 3];
const rounds = short ? 2 : 7;
const milliseconds = short ? 500 : 1000;

type Round = { rate: number; p99: number; used: ProcessorTime };

const postgres = await startPostgres({ durable: true });
const cleanups: (() => unknown)[] = [postgres.stop];
try {
  const shops: { count: number; shop: BenchShop; ports: number[] }[] = [];
  for (const count of counts) {
    const settings = {
      DATABASE_URL: postgres.url,
      AUTH_SECRET: 'the same for all processes that share it',
    };
    const shop = await openShop({ settings });
    cleanups.push(shop.close);
    const ports = [shop.port];
    while (ports.length < count) {
      const another = await openShop({ settings: { ...settings, PUBLIC_URL: shop.origin } });
      cleanups.push(another.close);
      ports.push(another.port);
    }
    shops.push({ count, shop, ports });
  }
  await query('update product set available = 1000000');

  const roundsByKey = new Map<string, Round[]>();
  const loads = await Promise.all(
    shops.map(async ({ count, shop, ports }) => ({ count, ports, loads: await createLoads(shop, ports) })),
  );
  using generator = openGenerator();
  for (let round = -1; round < rounds; round++) {
    for (const { count, ports, loads: each } of round % 2 ? loads : loads.toReversed()) {
      for (const [name, load] of Object.entries(each)) {
        await waitUntilIdle(ports);
        const stop = startProcessorTimer();
        // The first round is warm-up.
        const result = await generator.run({ ...load, milliseconds: round < 0 ? 3000 : milliseconds });
        const used = stop();
        const key = `${name} ${count}`;
        if (round >= 0)
          roundsByKey.set(key, [...(roundsByKey.get(key) ?? []), { ...summarize(result), used }]);
      }
    }
  }

  const results: Result[] = [];
  for (const name of Object.keys(loads[0]?.loads ?? {})) {
    for (const count of counts) results.push(toResult(name, count, roundsByKey));
  }
  const [{ bytes, orders } = { bytes: 0, orders: 1 }] = await query<{ bytes: string; orders: string }>(
    "select pg_total_relation_size('order_line') + pg_total_relation_size('purchase') as bytes, count(*) as orders from order_line",
  );
  results.push({
    name: 'Bytes per order in PostgreSQL, including indexes',
    goal: '',
    value: `${Math.round(Number(bytes) / Number(orders))} (${orders} orders)`,
  });
  report('Processes', results);
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

/** One user places the orders and another one's page is loaded, so the page does not grow. */
async function createLoads(shop: BenchShop, ports: number[]) {
  const [buyer, customer] = [await shop.signIn('admin@example.com'), await shop.signIn()];
  const products = (await shop.products()).filter(({ o_quantity }) => o_quantity === 1);
  for (let at = 0; at < 20 / counts.length; at++) await shop.placeOrder(customer, products[0]);
  const page = { 'accept-encoding': 'gzip, deflate, br' };
  return {
    '`POST /api/orders`': {
      port: shop.port,
      ports,
      requests: products.map((product) => shop.orderRequest(buyer, product)),
      connections: 16,
    },
    'My Orders with 20 orders': {
      port: shop.port,
      ports,
      requests: [buildRequest(shop.port, '/dashboard/myOrder', { ...page, cookie: customer.cookie })],
      connections: 16,
    },
    'Home page for a visitor': {
      port: shop.port,
      ports,
      requests: [buildRequest(shop.port, '/', page)],
      connections: 16,
    },
  };
}

/** Waits until each process has finished the previous load. */
async function waitUntilIdle(ports: number[]): Promise<void> {
  for (const port of ports)
    await (await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } })).text();
}

function summarize({ responses, seconds, p99 }: LoadResult) {
  return { rate: responses / seconds, p99 };
}

function toResult(name: string, count: number, roundsByKey: Map<string, Round[]>): Result {
  const measured = roundsByKey.get(`${name} ${count}`) ?? [];
  const single = roundsByKey.get(`${name} 1`) ?? [];
  const ratio = median(measured.map(({ rate }, round) => rate / (single[round]?.rate ?? Number.NaN)));
  const medianRound = measured.toSorted((a, b) => a.rate - b.rate)[Math.floor(measured.length / 2)];
  if (!medianRound) throw new Error('Nothing was measured.');
  const rates = `${Math.round(medianRound.rate)} per second; p99 ${medianRound.p99.toFixed(1)} ms`;
  return {
    name: count === 1 ? `${name}, 1 process` : `${name}, ${count} processes vs. 1`,
    goal: '',
    value: `${count === 1 ? rates : `${ratio.toFixed(2)} (${rates})`}; ${describeLimit(medianRound.used, count)}`,
  };
}

async function query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
