import { runWithTransaction } from '@better-auth/core/context';
import { getAdapter } from 'better-auth/db/adapter';
import type { Database } from '../../database/database.ts';
import type { Tx } from '../../database/schema.ts';
import type { Auth } from '../auth.ts';

/** Runs a call of Better Auth in a transaction of the shop, so that both change the database together, or neither does. */
export async function runInTransaction<Result>(
  { options }: Auth,
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
  work: () => Promise<Result>,
): Promise<Result> {
  const adapter = await getAdapter({ ...options, database: { db: tx, type: engine } });
  // Better Auth checks the schema of the adapters that it has created. It does not recognize this copy, so it reads no schema
  // within the transaction.
  return runWithTransaction({ ...adapter, transaction: (run) => run(adapter) }, work);
}
