import { sql, type Transaction } from 'kysely';
import type { Engine } from '../database/connect.ts';
import { listPending } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { ShopError } from '../errors.ts';
import { describeTables } from './introspection.ts';
import { listTables, standIns, tables } from './tables.ts';

/**
 * Makes sure that nobody has done anything in this database, and takes away the tables that a first start has made: a
 * backup of an older release makes its own. Throws a sentence where there is a shop.
 */
export async function clearEmptyPlace(tx: Transaction<Schema>, engine: Engine): Promise<void> {
  const found = await describeTables(tx, engine);
  // With tables of a newer release there may be more than our list knows.
  if (found.has('migration')) await listPending(tx);
  const own = listTables('people', 'shop', 'passing').filter((name) => found.has(name));
  for (const name of own.filter((name) => tables[name] === 'people')) {
    const { rows } = await sql`select 1 from ${sql.id(name)} limit 1`.execute(tx);
    if (rows.length > 0)
      throw new ShopError(
        'conflict',
        `DATA_DIR or DATABASE_URL has a shop already (its table ${name} is not empty): set another place, where nobody has used a shop. Nothing was changed.`,
      );
  }
  for (const name of own.reverse()) await sql`drop table ${sql.id(name)}`.execute(tx);
  // Migration 004 makes it beside its table.
  if (engine === 'postgres') await sql`drop function if exists audit_append_only()`.execute(tx);
  // Where there is no shop, the stand-ins' payments are nobody's.
  for (const { name } of (await describeTables(tx, engine, standIns)).values())
    await sql`drop table ${sql.id(standIns, name)}`.execute(tx);
}
