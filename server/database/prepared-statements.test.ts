import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { getPostgresUrl } from '../../tests/support/database.ts';
import { startShop } from '../../tests/support/shop.ts';
import { executePrepared, prepareStatements } from './prepared-statements.ts';

const listPrepared = 'select count(*) as statements from pg_prepared_statements';

test('PostgreSQL prepares a statement once per connection, for all its values', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  await shop.database.db.connection().execute(async (db) => {
    const { rows: before } = await sql<{ statements: number }>`${sql.raw(listPrepared)}`.execute(db);
    for (const id of ['one', 'another']) {
      const query = db.selectFrom('product').select('id').where('id', '=', id);
      expect((await executePrepared(db, query.compile())).rows).toEqual([]);
    }
    const { rows: after } = await sql<{ statements: number }>`${sql.raw(listPrepared)}`.execute(db);
    expect(after[0]?.statements).toBe((before[0]?.statements ?? 0) + 1);
    const many = db
      .selectFrom('product')
      .select('id')
      .where('id', 'in', Array.from({ length: 21 }, String));
    await executePrepared(db, many.compile());
    expect((await sql<{ statements: number }>`${sql.raw(listPrepared)}`.execute(db)).rows).toEqual(after);
  });
});

test('through PgBouncer, which reports another process than the server, no statement is prepared', async () => {
  const client = new pg.Client({ connectionString: await getPostgresUrl() });
  await client.connect();
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const query = client.query;
    prepareStatements(client, rows[0].pid + 1);
    expect(client.query).toBe(query);
    prepareStatements(client, rows[0].pid);
    expect(client.query).not.toBe(query);
  } finally {
    await client.end();
  }
});
