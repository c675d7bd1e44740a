import pg from 'pg';
import { startPostgres } from '../tests/support/postgres.ts';
import { median } from './compare.ts';
import { buildRequest, openGenerator } from './generator.ts';
import type { LoadResult } from './load.ts';
import { describeLimit, type ProcessorTime, startProcessorTimer } from './processor-time.ts';
import { type Result, report, short } from './report.ts';
import { type BenchShop, openShop } from './shop.ts';

/**
 * What more processes gain: one, two and three on one PostgreSQL, each on its own port. The load generator spreads its
 * connections over them. They are measured in turn, a moment each, so that other load on the machine slows all alike.
 */
const counts = [1, 2, 3];
const rounds = short ? 2 : 7;
const milliseconds = short ? 500 : 1000;

type Round = { rate: number; p99: number; used: ProcessorTime };

const postgres = await startPostgres({ durable: true });
const undo: (() => unknown)[] = [postgres.stop];
try {
  const shops: { count: number; shop: BenchShop; ports: number[] }[] = [];
  for (const count of counts) {
    const settings = {
      DATABASE_URL: postgres.url,
      AUTH_SECRET: 'the same for all processes that share it',
    };
    const shop = await openShop({ settings });
    undo.push(shop.close);
    const ports = [shop.port];
    while (ports.length < count) {
      const another = await openShop({ settings: { ...settings, PUBLIC_URL: shop.origin } });
      undo.push(another.close);
      ports.push(another.port);
    }
    shops.push({ count, shop, ports });
  }
  await ask('update product set available = 1000000');

  const found = new Map<string, Round[]>();
  const loads = await Promise.all(
    shops.map(async ({ count, shop, ports }) => ({ count, ports, loads: await loadsOf(shop, ports) })),
  );
  using generator = openGenerator();
  for (let round = -1; round < rounds; round++) {
    for (const { count, ports, loads: each } of round % 2 ? loads : loads.toReversed()) {
      for (const [what, load] of Object.entries(each)) {
        await letFinish(ports);
        const stop = startProcessorTimer();
        // The first warms up.
        const measured = await generator.run({ ...load, milliseconds: round < 0 ? 3000 : milliseconds });
        const used = stop();
        const key = `${what} ${count}`;
        if (round >= 0) found.set(key, [...(found.get(key) ?? []), { ...summarize(measured), used }]);
      }
    }
  }

  const results: Result[] = [];
  for (const what of Object.keys(loads[0]?.loads ?? {})) {
    for (const count of counts) results.push(resultOf(what, count, found));
  }
  const [{ bytes, orders } = { bytes: 0, orders: 1 }] = await ask<{ bytes: string; orders: string }>(
    "select pg_total_relation_size('orders') as bytes, count(*) as orders from orders",
  );
  results.push({
    name: 'Bytes of an order in PostgreSQL, with its indexes',
    goal: '',
    value: `${Math.round(Number(bytes) / Number(orders))} (${orders} orders)`,
  });
  report('Processes', results);
} finally {
  for (const step of undo.reverse()) await step();
}

/** One person's page is loaded, another one places the orders, so the page keeps its length. */
async function loadsOf(shop: BenchShop, ports: number[]) {
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
    'My Orders, 20 of them': {
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

/** Each process first finishes what the previous load has left it. */
async function letFinish(ports: number[]): Promise<void> {
  for (const port of ports)
    await (await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } })).text();
}

function summarize({ responses: answered, seconds, p99 }: LoadResult) {
  return { rate: answered / seconds, p99 };
}

function resultOf(what: string, count: number, found: Map<string, Round[]>): Result {
  const all = found.get(`${what} ${count}`) ?? [];
  const alone = found.get(`${what} 1`) ?? [];
  const ratio = median(all.map(({ rate }, round) => rate / (alone[round]?.rate ?? Number.NaN)));
  const middle = all.toSorted((a, b) => a.rate - b.rate)[Math.floor(all.length / 2)];
  if (!middle) throw new Error('Nothing was measured.');
  const rates = `${Math.round(middle.rate)} a second; p99 ${middle.p99.toFixed(1)} ms`;
  return {
    name: count === 1 ? `${what}, 1 process` : `${what}, ${count} processes, of 1`,
    goal: '',
    value: `${count === 1 ? rates : `${ratio.toFixed(2)} (${rates})`}; ${describeLimit(middle.used, count)}`,
  };
}

async function ask<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
