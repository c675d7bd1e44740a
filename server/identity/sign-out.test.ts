import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { cookieHeaders, sendAuthRequest } from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

/** Makes the database read-only, or writable again. */
type SetReadOnly = (shop: TestShop, readOnly: 'on' | 'off') => Promise<unknown>;

async function expectFailedSignOut(shop: TestShop, setReadOnly: SetReadOnly): Promise<void> {
  const tom = await shop.signUp();
  const ask = (path: string, body?: object) => sendAuthRequest(shop, path, body, cookieHeaders(tom));
  await setReadOnly(shop, 'on');
  const failed = await ask('/sign-out', {});
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '5']);
  // The browser keeps its session, and can end it later.
  expect(failed.headers.getSetCookie()).toEqual([]);
  expect(await (await ask('/get-session')).json()).toMatchObject({ user: { email: tom.email } });
  await setReadOnly(shop, 'off');
  expect((await ask('/sign-out', {})).status).toBe(200);
  expect(await (await ask('/get-session')).json()).toBeNull();
  // The session is already gone.
  expect((await ask('/sign-out', {})).status).toBe(200);
}

test('signing out fails while SQLite cannot write', async () => {
  await using shop = await startShop({ allowErrorLogs: true });
  await expectFailedSignOut(shop, ({ database }, readOnly) =>
    sql.raw(`pragma query_only = ${readOnly}`).execute(database.db),
  );
});

test('signing out fails while PostgreSQL is read-only', async () => {
  await using shop = await startShop({ engine: 'postgres', allowErrorLogs: true });
  const { db } = shop.database;
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'read-only' using errcode = 'read_only_sql_transaction'; end $$`.execute(db);
  await expectFailedSignOut(shop, (_, readOnly) =>
    readOnly === 'on'
      ? sql`create trigger refuse before delete on session execute function refuse()`.execute(db)
      : sql`drop trigger refuse on session`.execute(db),
  );
});
