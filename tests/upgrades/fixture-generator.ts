import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { startPostgres } from '../support/postgres.ts';
import { startShop } from '../support/shop.ts';
import { type FixtureFacts, fillFixture } from './fixture-data.ts';
import { fixtureFile } from './fixtures.ts';
import { dumpDatabase, runSql, writeSql } from './sql.ts';

/**
 * `npm run fixture`: runs this version on both engines and saves its database as a fixture. A released fixture never
 * changes; until the release it may be deleted and created again.
 */
const authSecret = 'of-the-fixtures-and-of-nobody-else-0123';

/** Rows that the stand-ins recreate or no longer need. */
const transientRows = [
  ...['google_secret', 'google_record', 'stripe_setting', 'stripe_idempotency', 'stripe_delivery'],
  "stripe_object where kind = 'event'",
];

const dataFolder = mkdtempSync(join(tmpdir(), 'shop-fixture-'));
const postgres = await startPostgres();
try {
  const release = await generateFixture({ file: join(dataFolder, 'shop.db') });
  await generateFixture({ url: postgres.url });
  process.stdout.write(`Created the fixture of ${release}. Commit it with its migration.\n`);
} finally {
  await postgres.stop();
  rmSync(dataFolder, { recursive: true, force: true });
}

async function generateFixture(place: DatabaseLocation): Promise<string> {
  const shop = await startShop({ place, settings: { AUTH_SECRET: authSecret }, allowErrorLogs: true });
  const filled = await fillFixture(shop);
  const applied = shop.database.db.selectFrom('migration').select('name').orderBy('name', 'desc');
  const { name } = await applied.executeTakeFirstOrThrow();
  await shop.close();

  const engine = 'file' in place ? 'sqlite' : 'postgres';
  await runSql(place, 'sandbox', transientRows.map((rows) => `delete from ${rows};`).join('\n'));
  const facts: FixtureFacts = { authSecret, ...filled };
  for (const part of ['shop', 'sandbox'] as const) {
    const file = fixtureFile(name, engine, part);
    if (existsSync(file)) throw new Error(`The fixture of ${name} already exists.`);
    mkdirSync(dirname(file), { recursive: true });
    const head = part === 'shop' ? `-- ${JSON.stringify(facts)}\n` : '';
    writeFileSync(file, head + writeSql(await dumpDatabase(place, part)));
  }
  return name;
}
