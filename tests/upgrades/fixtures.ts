import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, Place } from '../../server/database/connect.ts';
import type { Facts } from './fill.ts';
import { runSql } from './sql.ts';

/** A folder for each released version, named as the last of its migrations. */
export const folder = join(import.meta.dirname, 'fixtures');

export const releases = readdirSync(folder).sort();

/** One SQL text each; on PostgreSQL the stand-ins' schema is in the same database. */
export const fileOf = (release: string, engine: Engine, part: 'shop' | 'sandbox') =>
  join(folder, release, `${engine}-${part}.sql`);

/** Loads a release's database into an empty place, and gives what its first line says of it. */
export async function loadFixture(release: string, engine: Engine, place: Place): Promise<Facts> {
  for (const part of ['shop', 'sandbox'] as const)
    await runSql(place, part, readFileSync(fileOf(release, engine, part), 'utf8'));
  return readFacts(release, engine);
}

export function readFacts(release: string, engine: Engine): Facts {
  const [first = ''] = readFileSync(fileOf(release, engine, 'shop'), 'utf8').split('\n');
  return JSON.parse(first.replace(/^-- /, ''));
}

/** Of a migration's file, whatever line ends this machine gave it. */
export function digestOf(name: string): string {
  const file = join(import.meta.dirname, '../../server/database/migrations', `${name}.ts`);
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  return createHash('sha256').update(text).digest('hex');
}
