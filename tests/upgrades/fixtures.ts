import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Engine } from '../../server/database/schema.ts';
import type { FixtureFacts } from './fixture-data.ts';
import { runSql } from './sql.ts';

/** One folder per released version, named after its last migration. */
const fixturesFolder = join(import.meta.dirname, 'fixtures');

export const releases = readdirSync(fixturesFolder).sort();

/** The SQL file for the shop's tables or the stand-ins'. On PostgreSQL, they are schemas of one database. */
export const fixtureFile = (release: string, engine: Engine, part: 'shop' | 'sandbox') =>
  join(fixturesFolder, release, `${engine}-${part}.sql`);

/** Loads a release's fixture into an empty database, and returns the facts in its first line. */
export async function loadFixture(
  release: string,
  engine: Engine,
  place: DatabaseLocation,
): Promise<FixtureFacts> {
  const [shop, sandbox] = (['shop', 'sandbox'] as const).map((part) =>
    readFileSync(fixtureFile(release, engine, part), 'utf8'),
  );
  await runSql(place, 'shop', shop ?? '');
  await runSql(place, 'sandbox', sandbox ?? '');
  return JSON.parse(shop?.split('\n')[0]?.replace(/^-- /, '') ?? '');
}
