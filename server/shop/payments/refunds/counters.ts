import { sql } from 'kysely';
import type { Tx } from '../../../database/schema.ts';
import { isKept } from '../../orders/refund-rows.ts';
import type { Subject } from '../../orders/subjects.ts';

const counters = ['refunded', 'refund_pending', 'owed', 'refunded_quantity', 'removed', 'returned'] as const;

/** The amounts, in minor units, and pieces that a step of a refund adds to an order's counters. */
export type Change = Partial<Record<(typeof counters)[number], number>>;

export const hasChanges = (change: Change): boolean =>
  counters.some((counter) => (change[counter] ?? 0) !== 0);

/**
 * Whether a refund of the order says that the order's pieces are shipped anyway. A refused refund does not count, nor does a failed
 * refund of which nothing is owed. Any other failed refund counts, because it will be made again.
 */
const isShippedAnyway = sql`exists (select 1 from refund_line
  join refund on refund.id = refund_line.refund_id
  where refund_line.order_line_id = order_line.id and refund.still_send = 1
    and ${isKept} and coalesce(refund.outcome, '') <> 'nothing_owed')`;

/**
 * Adds to the counters of an order or charge whose purchase the caller has locked, and returns it. The checks of the table reject an
 * amount or a number of pieces that is too high. With `mayEnd`, a partly shipped order becomes shipped if no pieces are left to
 * ship. The caller has saved the order's refunds: they decide whether the pieces of a fully refunded order are shipped anyway.
 */
export async function changeCounters(
  tx: Tx,
  order: Subject,
  change: Change,
  { mayEnd = false } = {},
): Promise<Subject> {
  const add = (counter: keyof Change) => sql<number>`${sql.ref(counter)} + ${change[counter] ?? 0}`;
  const money = { refunded: add('refunded'), refund_pending: add('refund_pending'), owed: add('owed') };
  if (order.charge) {
    const charge = await tx
      .updateTable('charge')
      .set(money)
      .where('id', '=', order.id)
      .returning(['refunded', 'refund_pending', 'owed'])
      .executeTakeFirstOrThrow();
    return { ...order, ...charge };
  }
  const hasNoneLeft = sql`status = 'paid' and shipped > 0 and ${add('removed')} + shipped = quantity`;
  const row = await tx
    .updateTable('order_line')
    .set({
      ...money,
      refunded_quantity: add('refunded_quantity'),
      removed: add('removed'),
      returned: add('returned'),
      still_send: sql<number>`case when ${isShippedAnyway} then 1 else 0 end`,
      ...(mayEnd ? { status: sql`case when ${hasNoneLeft} then 'sipping' else status end` } : {}),
    })
    .where('id', '=', order.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...order, ...row };
}
