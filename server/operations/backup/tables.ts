import { type QueryExecutorProvider, sql } from 'kysely';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import type { Engine, Schema } from '../../database/schema.ts';
import type { BackupTable } from './format.ts';

type Treatment = 'user' | 'system' | 'temporary';

/**
 * How a backup treats each table, in an order that satisfies the foreign keys.
 * - `user`: written for users. A single row means that the database is in use.
 * - `system`: written by the shop itself, even into an empty database; replaced by the backup's rows.
 * - `temporary`: not backed up, because it is valid for minutes or for this database only, or because triggers fill it.
 */
export const tables: Record<keyof Schema, Treatment> = {
  setting: 'system',
  user: 'user',
  // Sessions are only usable with the AUTH_SECRET that signed them, which is not in a backup.
  session: 'user',
  account: 'user',
  // Like sessions, useless without the AUTH_SECRET that encrypted it.
  twoFactor: 'user',
  passkey: 'user',
  // Restored before the products, whose ratings in the backup already count the reviews.
  review: 'user',
  review_report: 'user',
  product: 'user',
  further_image: 'user',
  stock_change: 'user',
  purchase: 'user',
  charge: 'user',
  order_line: 'user',
  shipment: 'user',
  shipment_line: 'user',
  order_note: 'user',
  delivery_change: 'user',
  refund: 'user',
  refund_line: 'user',
  refund_charge: 'user',
  dispute: 'user',
  address: 'user',
  basket: 'user',
  basket_line: 'user',
  back_in_stock: 'user',
  payment: 'user',
  unknown_payment: 'user',
  audit: 'user',
  image: 'user',
  idempotency_key: 'user',
  imported_file: 'user',
  // These totals end at the time in the setting `sales counted until`, which is in the backup, too.
  sales_by_day: 'user',
  product_sales_by_day: 'user',
  recent_product_sales: 'user',
  product_sales_by_period: 'user',
  mail: 'user',
  mail_attempt: 'user',
  contact_message: 'user',
  subscriber: 'user',
  last_time: 'system',
  error_count: 'system',
  trouble_report: 'system',
  // The applied migrations are in the head of a backup.
  migration: 'temporary',
  // Belongs to processes that the restored shop does not have.
  lease: 'temporary',
  // The restored shop may use other services.
  outage: 'temporary',
  // Rate limits, whose names contain network addresses.
  rate_limit: 'temporary',
  verification: 'temporary',
  user_word: 'temporary',
  product_word: 'temporary',
  purchase_word: 'temporary',
  search_text: 'temporary',
  search_number: 'temporary',
  search_entry: 'temporary',
  search_word: 'temporary',
  search_form: 'temporary',
};

export const listTables = (...treatments: Treatment[]): string[] =>
  Object.entries(tables).flatMap(([name, treatment]) => (treatments.includes(treatment) ? name : []));

const kinds: Record<string, 'text' | 'whole' | 'bytes'> = {
  text: 'text',
  'timestamp with time zone': 'text',
  integer: 'whole',
  bigint: 'whole',
  boolean: 'whole',
  blob: 'bytes',
  bytea: 'bytes',
};

/** The database's tables by name, identical on both engines. Throws if backups do not support a column's type. */
export async function describeTables(
  db: QueryExecutorProvider,
  engine: Engine,
): Promise<Map<string, BackupTable>> {
  const { rows } = await selectColumns[engine].execute(db);
  const tables = new Map<string, BackupTable>();
  for (const { table: name, name: column, type, nullable, key } of rows) {
    const table = tables.getOrInsert(name, { table: name, columns: {}, key: [] });
    const kind = kinds[type.toLowerCase()];
    if (!kind) throw new Error(`${name}.${column} has a type that backups do not support: ${type}`);
    table.columns[column] = nullable && !key ? `${kind}?` : kind;
    if (key) table.key[key - 1] = column;
  }
  return tables;
}

/** `key` is the column's position in the primary key, from 1. */
type Column = { table: string; name: string; type: string; nullable: number | boolean; key: number | null };

const selectColumns = {
  sqlite: sql<Column>`
    select m.name as "table", c.name, c.type, 1 - c."notnull" as nullable, c.pk as key
    from sqlite_master as m, pragma_table_info(m.name) as c
    where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'
    order by m.name, c.cid`,
  postgres: sql<Column>`
    select t.relname as "table", c.attname as name, format_type(c.atttypid, null) as type,
      not c.attnotnull as nullable, array_position(p.conkey, c.attnum) as key
    from pg_class as t
    join pg_attribute as c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    left join pg_constraint as p on p.conrelid = t.oid and p.contype = 'p'
    where t.relkind = 'r' and t.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and has_table_privilege(t.oid, 'select')
    order by t.relname, c.attnum`,
};

export const toIdentifiers = (names: string[]) => sql.join(names.map((name) => sql.id(name)));

export type Counts = Map<string, number>;

export const addCount = (counts: Counts, table: string, rows: number) =>
  counts.set(table, (counts.get(table) ?? 0) + rows);

const countedNouns = {
  user: 'account',
  product: 'product',
  order_line: 'order',
  payment: 'payment',
  review: 'review',
  image: 'image file',
  audit: 'audit log row',
};

export const describeCounts = (counts: Counts): string =>
  Object.entries(countedNouns)
    .map(([table, noun]) => formatQuantity(counts.get(table) ?? 0, noun))
    .join(', ');
