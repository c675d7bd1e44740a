import { type QueryExecutorProvider, sql } from 'kysely';
import type { Engine } from '../database/connect.ts';
import type { Cell } from './format.ts';
import type { Table } from './introspection.ts';

/** How many rows are in memory at a time; a picture has some 50 KB, and may have ten times that. */
const together = { withBytes: 20, without: 1000 };

/** All rows of a table by its primary key, in pieces. */
export async function* readRows(db: QueryExecutorProvider, table: Table): AsyncGenerator<Cell[][]> {
  const key = names(table.key);
  const hasBytes = Object.values(table.columns).some((kind) => kind.startsWith('bytes'));
  const size = hasBytes ? together.withBytes : together.without;
  let after: unknown[] | undefined;
  do {
    const { rows }: { rows: Record<string, unknown>[] } = await sql<Record<string, unknown>>`
      select ${names(Object.keys(table.columns))} from ${nameOf(table)}
      ${after ? sql`where (${key}) > (${sql.join(after)})` : sql``}
      order by ${key} limit ${sql.lit(size)}`.execute(db);
    yield rows.map((row) => Object.keys(table.columns).map((name) => toCell(row[name])));
    const last = rows.length === size ? rows.at(-1) : undefined;
    after = last && table.key.map((name) => last[name]);
  } while (after);
}

export async function insertRows(db: QueryExecutorProvider, table: Table, rows: Cell[][]): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(row.map(fromCell))})`);
  await sql`insert into ${nameOf(table)} (${names(Object.keys(table.columns))}) values ${sql.join(values)}`.execute(
    db,
  );
}

/** As a backup describes it: for the stand-ins, which the shop does not know; they add their indexes themselves. */
export async function makeTable(db: QueryExecutorProvider, engine: Engine, table: Table): Promise<void> {
  const bytes = engine === 'postgres' ? 'bytea' : 'blob';
  const types = {
    ...{ text: 'text not null', whole: 'bigint not null', bytes: `${bytes} not null` },
    ...{ 'text?': 'text', 'whole?': 'bigint', 'bytes?': bytes },
  };
  const columns = Object.entries(table.columns).map(
    ([name, kind]) => sql`${sql.id(name)} ${sql.raw(types[kind])}`,
  );
  await sql`create table ${nameOf(table)} (${sql.join(columns)}, primary key (${names(table.key)}))`.execute(
    db,
  );
}

const nameOf = ({ schema, name }: Table) => (schema ? sql.id(schema, name) : sql.id(name));
const names = (list: string[]) => sql.join(list.map((name) => sql.id(name)));

/** Of what either engine's driver gives, what a backup holds: the same for both. */
function toCell(value: unknown): Cell {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  throw new TypeError(`A backup cannot hold ${typeof value} ${String(value)}`);
}

/** Both engines take the texts and numbers of a backup for what their columns are. */
const fromCell = (cell: Cell) =>
  typeof cell === 'object' && cell ? Buffer.from(cell.base64, 'base64') : cell;
