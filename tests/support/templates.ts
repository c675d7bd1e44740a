import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openDemo } from '../../seed/demo.ts';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { readConfig } from '../../server/config/config.ts';
import { openDatabase } from '../../server/database/database.ts';

/** `migrated` has the schema and no rows; `demo` also has the demo users, catalogue and reviews. */
export type TemplateKind = 'migrated' | 'demo';

/** Creates the template for a path such as `/sqlite/demo`. Returns its file, or its database name in PostgreSQL. */
export async function makeTemplate(
  path: string,
  folder: string,
  getPostgres: () => Promise<string>,
): Promise<string> {
  const [, engine, kind] = path.split('/');
  if (kind !== 'migrated' && kind !== 'demo') throw new Error(`There is no template ${path}.`);
  if (engine === 'sqlite') {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${kind}.db`);
    await fillDatabase({ file }, kind);
    return file;
  }
  const name = `template_${kind}`;
  const url = new URL(await getPostgres());
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  await fillDatabase({ url: url.href }, kind);
  return name;
}

/** Migrates an empty database and, for `demo`, adds the demo data. */
export async function fillDatabase(place: DatabaseLocation, kind: TemplateKind): Promise<void> {
  const database = await openDatabase(place);
  if (kind === 'demo') await openDemo(readConfig({}), database);
  else await markDemoPlanted(database);
  await database.close();
}

/** Marks the demo data as added. Adding it takes most of a second, and most tests create their own data. */
export async function markDemoPlanted({
  db,
}: Pick<Awaited<ReturnType<typeof openDatabase>>, 'db'>): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name: 'demo planted', value: 'not in this test' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
