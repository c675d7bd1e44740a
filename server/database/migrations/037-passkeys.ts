import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * The table of Better Auth's plugin for passkeys. The plugin does not check that a credential is new, so the constraint does:
 * otherwise, somebody who has seen another user's could add it with a key of their own (WebAuthn Level 3, 7.1, step 26). The
 * index finds the notices of an account as `mail_account` does, which the previous release still uses.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('passkey')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text')
    .addColumn('publicKey', 'text', (c) => c.notNull())
    .addColumn('userId', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('credentialID', 'text', (c) => c.notNull().unique())
    .addColumn('counter', 'bigint', (c) => c.notNull())
    .addColumn('deviceType', 'text', (c) => c.notNull())
    .addColumn('backedUp', engine === 'postgres' ? 'boolean' : 'integer', (c) => c.notNull())
    .addColumn('transports', 'text')
    .addColumn('createdAt', engine === 'postgres' ? 'timestamptz' : 'text')
    .addColumn('aaguid', 'text')
    .execute();
  await db.schema.createIndex('passkey_user').on('passkey').column('userId').execute();
  await sql`create index mail_account_notice on mail (about) where kind in
    ('password changed', 'two-factor on', 'two-factor off', 'passkey added', 'passkey removed', 'change address',
    'address changed')`.execute(db);
}
