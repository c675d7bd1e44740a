import { type QueryExecutorProvider, sql } from 'kysely';
import type { BackupCell, BackupTable } from './format.ts';

/** Rows in memory at a time. An image has about 50 KB, at most 500. */
const batchSize = { images: 20, others: 1000 };

/** Yields all rows of a table in batches, ordered by primary key. */
export async function* readRows(
  db: QueryExecutorProvider,
  table: BackupTable,
): AsyncGenerator<BackupCell[][]> {
  const columns = Object.keys(table.columns);
  const key = ids(table.key);
  const size = Object.values(table.columns).includes('bytes') ? batchSize.images : batchSize.others;
  let after: unknown[] | undefined;
  do {
    const { rows }: { rows: Record<string, unknown>[] } = await sql<Record<string, unknown>>`
      select ${ids(columns)} from ${sql.id(table.table)}
      ${after ? sql`where (${key}) > (${sql.join(after)})` : sql``}
      order by ${key} limit ${sql.lit(size)}`.execute(db);
    yield rows.map((row) => columns.map((name) => toCell(row[name])));
    const last = rows.length === size ? rows.at(-1) : undefined;
    after = last && table.key.map((name) => last[name]);
  } while (after);
}

export async function insertRows(
  db: QueryExecutorProvider,
  table: BackupTable,
  rows: BackupCell[][],
): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(row.map(fromCell))})`);
  await sql`insert into ${sql.id(table.table)} (${ids(Object.keys(table.columns))}) values ${sql.join(values)}`.execute(
    db,
  );
}

const ids = (names: string[]) => sql.join(names.map((name) => sql.id(name)));

/** Converts what either engine's driver returns, so that backups are the same from both. */
function toCell(value: unknown): BackupCell {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  throw new TypeError(`A backup cannot hold ${typeof value} ${String(value)}`);
}

/** Both engines convert text and numbers to their column's type themselves. */
const fromCell = (cell: BackupCell) =>
  typeof cell === 'object' && cell ? Buffer.from(cell.base64, 'base64') : cell;
