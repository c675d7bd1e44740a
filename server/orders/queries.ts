import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

export type OrderRow = Selectable<Schema['orders']>;

/** The newest first; of one person where `email` is given. */
export function selectOrders(
  db: Db,
  { email, count, after }: { email?: string; count: number; after: string | undefined },
): Promise<OrderRow[]> {
  return db
    .selectFrom('orders')
    .selectAll()
    .$if(email !== undefined, (query) => query.where('email', '=', email ?? ''))
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(count)
    .execute();
}

export function selectOrder(db: Db | Tx, id: string): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Somebody's unpaid orders of one total, those that hold their stock first; two tell whether there is one. */
export function selectUnpaidOfTotal(
  db: Db,
  { email, total, currency }: Pick<OrderRow, 'email' | 'total' | 'currency'>,
): Promise<OrderRow[]> {
  return db
    .selectFrom('orders')
    .selectAll()
    .where('email', '=', email)
    .where('status', 'in', ['', 'expired'])
    .where('total', '=', total)
    .where('currency', '=', currency)
    .orderBy('status')
    .limit(2)
    .execute();
}

/** Orders whose hold has ended. */
export function selectOverdue(db: Db, now: number, count: number): Promise<OrderRow[]> {
  return (
    db
      .selectFrom('orders')
      .selectAll()
      // A literal, as in the condition of the index.
      .where('status', '=', sql.lit(''))
      .where('hold_until', '<', now)
      .orderBy('hold_until')
      .limit(count)
      .execute()
  );
}

export async function insertOrder(tx: Tx, row: Insertable<Schema['orders']>): Promise<void> {
  await tx.insertInto('orders').values(row).execute();
}

/**
 * Gives an order as it is and keeps others from changing it until the transaction ends. An update of a column
 * to itself is the row lock that all engines share; the statements behind it see what was committed before.
 */
export function lockOrder(tx: Tx, id: string): Promise<OrderRow | undefined> {
  return tx
    .updateTable('orders')
    .set((eb) => ({ hold_until: eb.ref('hold_until') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Counts somebody's unpaid orders, and keeps a second order of theirs waiting until this one is written. */
export async function countUnpaid(tx: Tx, email: string): Promise<number> {
  await tx
    .updateTable('user')
    .set((eb) => ({ email: eb.ref('email') }))
    .where('email', '=', email)
    .execute();
  const { unpaid } = await tx
    .selectFrom('orders')
    .select((eb) => eb.fn.countAll<number>().as('unpaid'))
    .where('email', '=', email)
    .where('status', '=', sql.lit(''))
    .executeTakeFirstOrThrow();
  return unpaid;
}
