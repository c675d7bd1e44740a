import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { startPostgres } from '../support/postgres.ts';
import { startShop } from '../support/shop.ts';
import { type Facts, fill } from './fill.ts';
import { fileOf } from './fixtures.ts';
import { readOutside, runSql, writeSql } from './sql.ts';

/**
 * `npm run fixture`: makes the fixture of the version that is here, on both engines, by running it. A release's is made
 * once; until the release it may be removed and made anew.
 */
const authSecret = 'of-the-fixtures-and-of-nobody-else-0123';

/** What a stand-in makes anew, or never asks for again: its keys, and most of what it keeps. */
const passing = [
  ...['google_secret', 'google_record', 'stripe_setting', 'stripe_idempotency', 'stripe_delivery'],
  "stripe_object where kind = 'event'",
];

const data = mkdtempSync(join(tmpdir(), 'shop-fixture-'));
const postgres = await startPostgres();
try {
  const made = await make({ file: join(data, 'shop.db') });
  await make({ url: postgres.url });
  process.stdout.write(`The fixture of ${made} is made: commit it with its migration.\n`);
} finally {
  await postgres.stop();
  rmSync(data, { recursive: true, force: true });
}

async function make(place: DatabaseLocation): Promise<string> {
  const shop = await startShop({ place, settings: { AUTH_SECRET: authSecret }, logsErrors: true });
  const filled = await fill(shop);
  const applied = shop.database.db.selectFrom('migration').select('name').orderBy('name', 'desc');
  const { name: release } = await applied.executeTakeFirstOrThrow();
  await shop.close();

  const engine = 'file' in place ? 'sqlite' : 'postgres';
  await runSql(place, 'sandbox', passing.map((rows) => `delete from ${rows};`).join('\n'));
  const facts: Facts = { authSecret, ...filled };
  for (const part of ['shop', 'sandbox'] as const) {
    const file = fileOf(release, engine, part);
    if (existsSync(file)) throw new Error(`The fixture of ${release} is there already.`);
    mkdirSync(dirname(file), { recursive: true });
    const head = part === 'shop' ? `-- ${JSON.stringify(facts)}\n` : '';
    writeFileSync(file, head + writeSql(await readOutside(place, part)));
  }
  return release;
}
