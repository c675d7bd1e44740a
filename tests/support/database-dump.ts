import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { DatabaseLocation } from '../../server/config/config.ts';

/** Rows by table, sorted; each value as an SQL literal. */
export type DumpedRows = Record<string, Record<string, string>[]>;

type DatabaseDump = {
  /** Statements that create the tables, indexes, constraints, functions and triggers. */
  schema: string[];
  rows: DumpedRows;
};

/** Reads all tables and rows. `part` is `sandbox` for the stand-ins' tables. */
export async function dumpDatabase(place: DatabaseLocation, part: 'shop' | 'sandbox'): Promise<DatabaseDump> {
  if ('file' in place) return readSqlite(databaseFile(place.file, part));
  return withClient(place.url, part, (client, schema) => readPostgres(client, schema));
}

/** Runs SQL statements, such as those from `writeSql`. */
export async function runSql(place: DatabaseLocation, part: 'shop' | 'sandbox', sql: string): Promise<void> {
  if ('url' in place) return withClient(place.url, part, async (client) => void (await client.query(sql)));
  const database = new DatabaseSync(databaseFile(place.file, part));
  database.exec(sql);
  database.close();
}

/** SQL statements that restore a dump with `runSql`. */
export function writeSql({ schema, rows }: DatabaseDump): string {
  const inserts = Object.entries(rows).flatMap(([table, found]) =>
    found.map((row) => {
      const columns = Object.keys(row).map((name) => `"${name}"`);
      return `insert into "${table}" (${columns.join(', ')}) values (${Object.values(row).join(', ')})`;
    }),
  );
  // Foreign keys and triggers come after the rows.
  const isTable = (statement: string) => /^create (table|schema)/i.test(statement);
  const after = schema.filter((statement) => !isTable(statement));
  return [...schema.filter(isTable), ...inserts, ...after].map((statement) => `${statement};\n`).join('');
}

const databaseFile = (file: string, part: string) => join(dirname(file), `${part}.db`);

function readSqlite(file: string): DatabaseDump {
  const database = new DatabaseSync(file);
  try {
    const objects = database
      .prepare('select name, type, sql from sqlite_master where sql is not null order by rowid')
      .all();
    const rows: DumpedRows = {};
    for (const { name } of objects.filter(({ type }) => type === 'table')) {
      const statement = database.prepare(`select * from "${name}"`);
      rows[String(name)] = toRows(statement.all());
    }
    return { schema: objects.map(({ sql }) => String(sql)), rows };
  } finally {
    database.close();
  }
}

function writeValue(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return typeof value === 'string' ? quote(value) : String(value);
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Queries of the PostgreSQL catalog that return the statements to recreate a schema. */
const catalogQueries = [
  `select 'create schema ' || quote_ident(nspname) from pg_namespace where nspname = $1 and nspname <> 'public'`,
  `select 'create table ' || c.oid::regclass || ' (' || string_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
     || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') || case when attnotnull then ' not null' else '' end,
     ', ' order by attnum) || ')'
     from pg_class c join pg_attribute a on attrelid = c.oid and attnum > 0 and not attisdropped
     left join pg_attrdef on adrelid = c.oid and adnum = attnum
     where relkind = 'r' and relnamespace = to_regnamespace($1) group by c.oid order by 1`,
  `select 'alter table ' || conrelid::regclass || ' add constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
     from pg_constraint where connamespace = to_regnamespace($1) and conrelid <> 0 and contype <> 'n'
     order by contype = 'f', 1`,
  `select pg_get_indexdef(indexrelid) from pg_index join pg_class c on c.oid = indexrelid
     where relnamespace = to_regnamespace($1) and not exists (select from pg_constraint where conindid = indexrelid) order by 1`,
  `select pg_get_functiondef(oid) from pg_proc where pronamespace = to_regnamespace($1) order by 1`,
  `select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid
     where relnamespace = to_regnamespace($1) and not tgisinternal order by 1`,
];

async function readPostgres(client: pg.Client, name: string): Promise<DatabaseDump> {
  const schema: string[] = [];
  for (const text of catalogQueries) schema.push(...(await readColumn(client, text, [name])));
  const rows: DumpedRows = {};
  const tables = `select relname from pg_class where relkind = 'r' and relnamespace = to_regnamespace($1) order by 1`;
  for (const table of await readColumn(client, tables, [name])) {
    // Keep values as PostgreSQL's text.
    const types = { getTypeParser: () => (value: string) => value };
    const found = await client.query({ text: `select * from "${table}"`, types });
    rows[table] = toRows(found.rows);
  }
  return { schema, rows };
}

async function readColumn(client: pg.Client, text: string, values: string[]): Promise<string[]> {
  const { rows } = await client.query({ text, values, rowMode: 'array' });
  return rows.map(([first]) => String(first));
}

async function withClient<T>(
  connectionString: string,
  part: 'shop' | 'sandbox',
  work: (client: pg.Client, schema: string) => Promise<T>,
): Promise<T> {
  const schema = part === 'shop' ? 'public' : part;
  const client = new pg.Client({ connectionString, options: `-c timezone=UTC -c search_path=${schema}` });
  await client.connect();
  try {
    return await work(client, schema);
  } finally {
    await client.end();
  }
}

/** Sorted, since no engine guarantees an order. */
function toRows(found: Record<string, unknown>[]): DumpedRows[string] {
  const rows = found.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, writeValue(value)])),
  );
  return rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
