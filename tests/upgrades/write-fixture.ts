import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Engine } from '../../server/database/schema.ts';
import { makeFolder } from '../support/database.ts';
import { dumpDatabase, runSql, writeSql } from '../support/database-dump.ts';
import { fillShop } from '../support/filled-shop.ts';
import { startPostgres } from '../support/postgres.ts';
import { startShop } from '../support/shop.ts';
import { type FixtureFacts, findFixture, fixtureParts, fixturesFolder, readRelease } from './fixtures.ts';

/**
 * `npm run fixture`: runs this version on both engines and saves its databases as the fixture of its release. A released fixture
 * never changes; until the release, delete its folder to write it again.
 */
const release = readRelease();
const folder = join(fixturesFolder, release);

const authSecret = 'of-the-fixtures-and-of-nobody-else-0123';

/** Rows that the stand-ins create again or no longer need. */
const transientRows = [
  'google_secret',
  'google_record',
  'stripe_setting',
  'stripe_idempotency',
  'stripe_delivery',
  "stripe_object where kind = 'event'",
];

if (existsSync(folder)) {
  process.stderr.write(`The fixture of ${release} exists. A released one never changes.\n`);
  process.exit(1);
}
const dataFolder = makeFolder();
const postgres = await startPostgres();
try {
  // Nothing is written unless both have succeeded.
  const texts = {
    ...(await makeFixture('sqlite', { file: join(dataFolder, 'shop.db') })),
    ...(await makeFixture('postgres', { url: postgres.url })),
  };
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(texts)) writeFileSync(file, text);
} finally {
  await postgres.stop();
  rmSync(dataFolder, { recursive: true });
}
process.stdout.write(`Wrote the fixture of ${release}.\n`);
process.exit();

/** The text of each file of an engine's fixture, by path. */
async function makeFixture(engine: Engine, place: DatabaseLocation): Promise<Record<string, string>> {
  const shop = await startShop({ place, settings: { AUTH_SECRET: authSecret } });
  const { ada: admin, tom: customer, opening, ...filled } = await fillShop(shop);
  const { enrolled, keyedRequest, keyedResponse } = filled;
  // Images are most of the size, and no migration reads their bytes.
  await shop.database.db
    .updateTable('image')
    .set({ bytes: Buffer.alloc(0) })
    .execute();
  await shop.close();

  await runSql(place, 'sandbox', transientRows.map((rows) => `delete from ${rows};`).join('\n'));
  const facts: FixtureFacts = {
    authSecret,
    admin,
    customer,
    enrolled,
    keyedRequest,
    keyedResponse,
    opening: [...opening],
  };
  const texts: Record<string, string> = {};
  for (const part of fixtureParts) {
    const head = part === 'shop' ? `-- ${JSON.stringify(facts)}\n` : '';
    texts[findFixture(release, engine, part)] = head + writeSql(await dumpDatabase(place, part));
  }
  return texts;
}
