/**
 * Compares a list of products and one product, requested with a bearer token and so uncached, with the floor (`floor.ts`: the
 * same queries without a framework), on both engines.
 */

import pg from 'pg';
import { startPostgres } from '../tests/support/postgres.ts';
import { compare } from './compare.ts';
import { buildRequest } from './generator.ts';
import { atLeast, type Result, report, short } from './report.ts';
import { openShop } from './shop.ts';

report('Uncached calls', [
  ...(await measure('SQLite', {})),
  // Starting PostgreSQL takes too long for `--short`.
  ...(short ? [] : await measureOnPostgres()),
]);

async function measureOnPostgres(): Promise<Result[]> {
  const postgres = await startPostgres();
  try {
    return await measure('PostgreSQL', { DATABASE_URL: postgres.url });
  } finally {
    await postgres.stop();
  }
}

async function measure(engine: string, settings: { DATABASE_URL?: string }): Promise<Result[]> {
  const secret = 'the secret that the floor checks the token with';
  const shop = await openShop({ settings: { ...settings, AUTH_SECRET: secret } });
  try {
    if (settings.DATABASE_URL) await removeRatings(settings.DATABASE_URL);
    const floor = await shop.startFloor(settings.DATABASE_URL ?? shop.file, secret);
    const [first] = await shop.products();
    const headers = { authorization: `Bearer ${(await shop.signIn()).token}` };
    const paths = {
      '`GET /api/products?limit=12`': '/api/products?limit=12',
      '`GET /api/products/{id}`': `/api/products/${first?._id}`,
    };
    const rows: Result[] = [];
    for (const [name, path] of Object.entries(paths)) {
      const bodies = await Promise.all(
        [shop.port, floor.port].map(async (port) =>
          (await fetch(`http://localhost:${port}${path}`, { headers })).text(),
        ),
      );
      if (bodies[0] !== bodies[1]) throw new Error(`The bodies differ: ${bodies.join('\n')}`);
      const target = ({ port, pid }: { port: number; pid: number }) => ({
        port,
        pid,
        requests: [buildRequest(port, path, headers)],
      });
      const compared = await compare({ shop: target(shop), baseline: target(floor) });
      const { ratio, processorRatio, shopRate, baselineRate } = compared;
      rows.push({
        name: `${name} with a token, vs. floor, ${engine}`,
        value: `${ratio.toFixed(2)} (${Math.round(shopRate)} vs. ${Math.round(baselineRate)} per second; by CPU time ${processorRatio.toFixed(2)})`,
        ...atLeast(0.25, ratio),
      });
    }
    return rows;
  } finally {
    await shop.close();
  }
}

/** The floor does not compute ratings. On SQLite, `openShop` removes them. */
async function removeRatings(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('update review set product_id = null, product_name = null');
  await client.end();
}
