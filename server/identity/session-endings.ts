import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tx } from '../database/schema.ts';
import { deleteToken, tokenRowId } from './recovery/tokens.ts';

/*
 * Every change of a password, two-factor sign-in, recovery codes, passkeys, Google or the address calls `endAccess`. So the change
 * signs out an intruder who got in before.
 *
 * A sign-in checks a credential first and inserts its session later. If all sessions of the user end in between, that session must
 * not survive. So ending the sessions inserts a row into `verification`, which stays for ten minutes: a sign-in that began before
 * the row was visible is rejected.
 */

const ended = 'sessions ended';
/** Longer than any sign-in takes. */
const endingLifetimeMs = 10 * 60_000;

type Engine = Pick<Database, 'engine'>;

/**
 * Locks the user's row. On PostgreSQL, a sign-in in flight then waits to insert its session, which references that row, until
 * the transaction ends. On SQLite, all writers wait for each other.
 */
export async function lockUser({ engine }: Engine, tx: Tx, userId: string): Promise<void> {
  if (engine === 'postgres')
    await tx.selectFrom('user').select('id').where('id', '=', userId).forUpdate().execute();
}

const maxSessionsPerUser = 100;

/** Ends a user's oldest sessions beyond the limit: each sign-in stores a row for 30 days. */
export async function endOldestSessions({ db }: Pick<Database, 'db'>, userId: string): Promise<void> {
  await db
    .deleteFrom('session')
    .where('userId', '=', userId)
    .where('createdAt', '<', ({ selectFrom, fn }) =>
      selectFrom(
        selectFrom('session')
          .select('createdAt')
          .where('userId', '=', userId)
          .orderBy('createdAt', 'desc')
          .limit(maxSessionsPerUser)
          .as('newest'),
      ).select(fn.min('createdAt').as('oldest')),
    )
    .execute();
}

const endedRowId = (except: string) => `${ended} ${except} `;

/**
 * Ends a user's sessions, except the one with the id `except`, and their sign-ins in flight, including those that wait for a
 * code. Forgets trusted devices, and the links that reset the password or change the address. Does not end the links that undo
 * a change of the address, which the owner may need. Returns the number of sessions.
 */
export async function endAccess(database: Engine, tx: Tx, userId: string, except = ''): Promise<number> {
  await lockUser(database, tx, userId);
  const { numDeletedRows } = await tx
    .deleteFrom('session')
    .where('userId', '=', userId)
    .where('id', '<>', except)
    .executeTakeFirst();
  await tx
    .deleteFrom('verification')
    .where('value', '=', userId)
    .where(({ or, eb }) =>
      or([
        eb('identifier', '=', ended),
        eb('identifier', 'like', '2fa-%'),
        eb('identifier', 'like', 'trust-device-%'),
      ]),
    )
    .execute();
  await deleteToken(tx, 'change address', userId);
  await tx
    .deleteFrom('verification')
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('user')
        .select(sql<string>`${tokenRowId('reset password', '')} || email`.as('id'))
        .where('id', '=', userId),
    )
    .execute();
  const now = new Date();
  const expiresAt = new Date(now.getTime() + endingLifetimeMs);
  await tx
    .insertInto('verification')
    .values({
      id: endedRowId(except) + randomUUID(),
      identifier: ended,
      value: userId,
      expiresAt,
      createdAt: now,
      updatedAt: now,
    })
    .execute();
  return Number(numDeletedRows);
}

const selectEndings = ({ db }: Database) =>
  db.selectFrom('verification').select('id').where('identifier', '=', ended);

/** The ids of the rows that `endAccess` inserts, for all users. Read them before the credential, for `isEndedSince`. */
export async function listEndings(database: Database): Promise<ReadonlySet<string>> {
  return new Set((await selectEndings(database).execute()).map(({ id }) => id));
}

/**
 * Whether the user's sessions were ended after `endings` was read. Call it after the session is inserted. An ending that left out
 * the session `replaced` does not count, because the new session replaces that one.
 */
export async function isEndedSince(
  database: Database,
  endings: ReadonlySet<string>,
  userId: string,
  replaced?: string,
): Promise<boolean> {
  const rows = await selectEndings(database).where('value', '=', userId).execute();
  return rows.some(
    ({ id }) => !endings.has(id) && (replaced === undefined || !id.startsWith(endedRowId(replaced))),
  );
}
