import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Engine } from '../../server/database/schema.ts';
import type { Facts } from './fill.ts';
import { runSql } from './sql.ts';

/** A folder for each released version, named as the last of its migrations. */
export const folder = join(import.meta.dirname, 'fixtures');

export const releases = readdirSync(folder).sort();

/** One SQL text each; on PostgreSQL the stand-ins' schema is in the same database. */
export const fileOf = (release: string, engine: Engine, part: 'shop' | 'sandbox') =>
  join(folder, release, `${engine}-${part}.sql`);

/** Loads a release's database into an empty place, and gives what its first line says of it. */
export async function loadFixture(release: string, engine: Engine, place: DatabaseLocation): Promise<Facts> {
  const [shop, sandbox] = (['shop', 'sandbox'] as const).map((part) =>
    readFileSync(fileOf(release, engine, part), 'utf8'),
  );
  await runSql(place, 'shop', shop ?? '');
  await runSql(place, 'sandbox', sandbox ?? '');
  return JSON.parse(shop?.split('\n')[0]?.replace(/^-- /, '') ?? '');
}
