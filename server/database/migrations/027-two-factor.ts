import type { Kysely } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * The table and the user's column of Better Auth's plugin for two-factor sign-in. A user has at most one authenticator app.
 * `session.secondFactor` is the shop's: whether the session was opened with a second factor.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const date = engine === 'postgres' ? 'timestamptz' : 'text';
  const flag = engine === 'postgres' ? 'boolean' : 'integer';
  const off = engine === 'postgres' ? false : 0;

  await db.schema
    .alterTable('user')
    .addColumn('twoFactorEnabled', flag, (c) => c.notNull().defaultTo(off))
    .execute();
  await db.schema
    .alterTable('session')
    .addColumn('secondFactor', flag, (c) => c.notNull().defaultTo(off))
    .execute();

  await db.schema
    .createTable('twoFactor')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('userId', 'text', (c) => c.notNull().unique().references('user.id').onDelete('cascade'))
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('backupCodes', 'text', (c) => c.notNull())
    .addColumn('verified', flag, (c) => c.notNull())
    .addColumn('failedVerificationCount', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('lockedUntil', date)
    .execute();
}
