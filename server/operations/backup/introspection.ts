import { type QueryExecutorProvider, sql } from 'kysely';
import type { Engine } from '../../database/schema.ts';
import type { BackupTable } from './format.ts';

type Column = { table: string; name: string; type: string; nullable: number; key: number };

const kinds: Record<string, 'text' | 'whole' | 'bytes'> = {
  text: 'text',
  'timestamp with time zone': 'text',
  integer: 'whole',
  bigint: 'whole',
  boolean: 'whole',
  blob: 'bytes',
  bytea: 'bytes',
};

/** The database's tables by name, identical on both engines. Throws if a column's type has no place in a backup. */
export async function describeTables(
  db: QueryExecutorProvider,
  engine: Engine,
): Promise<Map<string, BackupTable>> {
  const { rows } = await (engine === 'sqlite' ? sqliteColumns : postgresColumns).execute(db);
  const tables = new Map<string, BackupTable>();
  for (const { table: name, name: column, type, nullable, key } of rows) {
    const table = tables.get(name) ?? { table: name, columns: {}, key: [] };
    tables.set(name, table);
    const kind = kinds[type.toLowerCase()];
    if (!kind) throw new Error(`${name}.${column} has a type that backups do not support: ${type}`);
    table.columns[column] = nullable && !key ? `${kind}?` : kind;
    if (key) table.key[key - 1] = column;
  }
  return tables;
}

const sqliteColumns = sql<Column>`
  select m.name as "table", c.name, c.type, 1 - c."notnull" as nullable, c.pk as key
  from sqlite_master as m, pragma_table_info(m.name) as c
  where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'
  order by m.name, c.cid`;

const postgresColumns = sql<Column>`
  select c.table_name as "table", c.column_name as name, c.data_type as type,
    case c.is_nullable when 'YES' then 1 else 0 end as nullable, coalesce(k.ordinal_position, 0) as key
  from information_schema.columns as c
  join information_schema.tables as t
    on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
  left join information_schema.table_constraints as p
    on p.table_schema = c.table_schema and p.table_name = c.table_name and p.constraint_type = 'PRIMARY KEY'
  left join information_schema.key_column_usage as k
    on k.table_schema = p.table_schema and k.table_name = p.table_name
      and k.constraint_name = p.constraint_name and k.column_name = c.column_name
  where c.table_schema = current_schema()
  order by c.table_name, c.ordinal_position`;
