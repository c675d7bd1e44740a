import { type Selectable, sql } from 'kysely';
import type { RefundReason } from '../../../contract/orders/refunds.ts';
import type { Db, Schema, Tx } from '../../database/schema.ts';

/** A refund that is not automatic. */
export type RefundRow = Selectable<Schema['refund']> & { reason: RefundReason };
/**
 * The part of a refund that is for one order or charge, whose id is `subject_id`. The part for a charge has no pieces and, as it has no
 * id of its own, the charge's.
 */
export type LineRow = Omit<Selectable<Schema['refund_line']>, 'order_line_id'> & { subject_id: string };
/**
 * A refund with its lines. A refund made at the provider has no lines until it is assigned. `intent` is the id of its payment at
 * the provider.
 */
export type Refund = RefundRow & { intent: string; lines: LineRow[] };
/** The part of a refund that is for one order or charge; `id` is the id of the refund. */
export type OrderRefund = RefundRow & Pick<LineRow, 'subject_id' | 'quantity' | 'restock' | 'removed'>;

/** Pending and succeeded refunds count, failed and canceled ones do not. */
export const isCounted = ({ status }: Pick<RefundRow, 'status'>): boolean =>
  status === 'pending' || status === 'succeeded';

/**
 * Whether the shop has owed the amount of a refund's line: the refund failed after the provider had accepted it, or was refused after
 * the rest of the order had been sent without its pieces.
 */
export const wasOwed = (
  refund: Pick<RefundRow, 'status' | 'provider_id'>,
  { removed }: Pick<LineRow, 'removed'>,
): boolean => !isCounted(refund) && (refund.provider_id !== null || removed > 0);

/** Whether the shop still owes the amount of a refund's line. */
export const isOwed = (
  refund: Pick<RefundRow, 'status' | 'provider_id' | 'settled_at'>,
  line: Pick<LineRow, 'removed'>,
): boolean => wasOwed(refund, line) && refund.settled_at === null;

/**
 * For a query of `refund_line` and `refund`: whether an order counts the line's pieces. A refused refund keeps its quantity, but counts
 * only for orders that were sent without its pieces.
 */
export const isKept = sql<boolean>`(
  refund.status in ('pending', 'succeeded') or refund.provider_id is not null or refund_line.removed > 0)`;

const refundColumns = [
  'refund.id',
  'refund.payment_id',
  'refund.purchase_id',
  'refund.currency',
  'refund.reason',
  'refund.note',
  'refund.status',
  'refund.failure',
  'refund.provider_id',
  'refund.actor_id',
  'refund.actor',
  'refund.replaces',
  'refund.still_send',
  'refund.settled_at',
  'refund.outcome',
  'refund.settled_by_id',
  'refund.settled_by',
  'refund.created_at',
  'refund.updated_at',
] as const;

/** For a query of `refund`: the refund counts for its purchase. A literal, to match the condition of the partial indexes. */
export const isNotAutomatic = sql<boolean>`refund.reason <> 'automatic'`;

/**
 * For a query of `refund_line`: the provider has not accepted its refund yet. A scalar subquery, because PostgreSQL would read all
 * pending refunds for a join.
 */
export const isUnaccepted = sql<boolean>`(
  select refund.status = 'pending' and refund.provider_id is null from refund where refund.id = refund_line.refund_id)`;

/** The refunds of these orders, oldest first; `amount` is each order's part. */
export async function listOrderRefunds(db: Db, orderIds: readonly string[]): Promise<OrderRefund[]> {
  const rows = await db
    .selectFrom('refund_line')
    .innerJoin('refund', 'refund.id', 'refund_line.refund_id')
    .select(refundColumns)
    .select([
      'refund_line.order_line_id as subject_id',
      'refund_line.amount',
      'refund_line.quantity',
      'refund_line.restock',
      'refund_line.removed',
    ])
    // An automatic refund has no lines.
    .$narrowType<{ reason: RefundReason }>()
    .where('refund_line.order_line_id', 'in', orderIds)
    .execute();
  return rows.sort(byId);
}

/** The refunds of these charges, oldest first; `amount` is each charge's part. */
export async function listChargeRefunds(db: Db, charges: readonly { id: string }[]): Promise<OrderRefund[]> {
  if (charges.length === 0) return [];
  const rows = await db
    .selectFrom('refund_charge')
    .innerJoin('refund', 'refund.id', 'refund_charge.refund_id')
    .select(refundColumns)
    .select(['refund_charge.charge_id as subject_id', 'refund_charge.amount'])
    .$narrowType<{ reason: RefundReason }>()
    .where(
      'refund_charge.charge_id',
      'in',
      charges.map(({ id }) => id),
    )
    .execute();
  return rows.sort(byId).map((row) => ({ ...row, quantity: 0, restock: 0, removed: 0 }));
}

/** If SQL sorted the refunds, PostgreSQL would read all refunds by their ids, instead of only the refunds of these orders. */
const byId = (one: { id: string }, other: { id: string }): number =>
  Number(one.id > other.id) - Number(one.id < other.id);

/** The refunds of a payment, or one of them, oldest first, without automatic refunds. */
export async function listRefunds(
  db: Db | Tx,
  by: { payment_id: string } | { id: string },
): Promise<Refund[]> {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['payment_id', by.payment_id] as const);
  const rows = await selectRefunds(db)
    .$narrowType<{ reason: RefundReason }>()
    .where(`refund.${column}`, '=', value)
    .where(isNotAutomatic)
    .execute();
  return groupLines(rows);
}

type PurchaseRefunds = { refunds: Refund[]; automaticRefunds: AutomaticRefundRow[] };

/** All refunds of a purchase, oldest first. */
export async function listPurchaseRefunds(db: Db, purchaseId: string): Promise<PurchaseRefunds> {
  const rows = groupLines(await selectRefunds(db).where('refund.purchase_id', '=', purchaseId).execute());
  return {
    refunds: rows.flatMap(({ reason, ...row }) => (reason === 'automatic' ? [] : { ...row, reason })),
    automaticRefunds: rows.filter(({ reason }) => reason === 'automatic'),
  };
}

/** Refunds with the intents of their payments, one row for each line and charge. */
const selectRefunds = (db: Db | Tx) =>
  db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.id', 'refund.payment_id')
    .leftJoin('refund_line', 'refund_line.refund_id', 'refund.id')
    .leftJoin('refund_charge', 'refund_charge.refund_id', 'refund.id')
    .select(refundColumns)
    .select(['payment.intent', 'refund.amount', 'refund_line.id as line_id', 'refund_line.order_line_id'])
    // A payment that is refunded has an intent.
    .$narrowType<{ intent: string }>()
    .select(['refund_line.amount as line_amount', 'refund_line.quantity'])
    .select(['refund_line.restock', 'refund_line.removed'])
    .select(['refund_charge.charge_id', 'refund_charge.amount as charge_amount']);

/** Sorts refunds by their ids, and groups their lines. */
const groupLines = <Row extends JoinedRow>(rows: Row[]) =>
  [...Map.groupBy(rows.sort(byId), ({ id }) => id).values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { line_id, order_line_id, line_amount, quantity, restock, removed, ...rest } = first;
    const { charge_id, charge_amount, ...refund } = rest;
    const lines = new Map(group.flatMap(toLines).map((line) => [line.id, line]));
    return [{ ...refund, lines: [...lines.values()] }];
  });

/** The refund of a payment that did not count towards its purchase. */
export type AutomaticRefundRow = Selectable<Schema['refund']> & { intent: string };

/** The automatic refunds with these ids, or of these payments or purchases, oldest first. `values` must not be empty. */
export async function listAutomaticRefunds(
  db: Db | Tx,
  column: 'id' | 'payment_id' | 'purchase_id',
  values: readonly string[],
): Promise<AutomaticRefundRow[]> {
  const rows = await db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.id', 'refund.payment_id')
    .selectAll('refund')
    .select('payment.intent')
    .$narrowType<{ intent: string }>()
    .where(`refund.${column}`, 'in', values)
    .where('refund.reason', '=', sql.lit('automatic'))
    .execute();
  return rows.sort(byId);
}

type RefundLine = Schema['refund_line'];
type JoinedRow = {
  id: string;
  line_id: string | null;
  line_amount: number | null;
  charge_id: string | null;
  charge_amount: number | null;
} & {
  [column in Exclude<keyof RefundLine, 'id' | 'refund_id' | 'amount'>]: Selectable<RefundLine>[column] | null;
};

/** The line of a row and, after it, the part for a charge. Two lines of a refund repeat its charge. */
function toLines(row: JoinedRow): LineRow[] {
  const { id: refund_id, line_id, order_line_id, line_amount, charge_id, charge_amount } = row;
  const lines: LineRow[] = [];
  if (line_id !== null && order_line_id !== null && line_amount !== null)
    lines.push({
      id: line_id,
      refund_id,
      subject_id: order_line_id,
      amount: line_amount,
      quantity: row.quantity,
      restock: row.restock ?? 0,
      removed: row.removed ?? 0,
    });
  if (charge_id !== null && charge_amount !== null)
    lines.push({
      id: charge_id,
      refund_id,
      subject_id: charge_id,
      amount: charge_amount,
      quantity: 0,
      restock: 0,
      removed: 0,
    });
  return lines;
}
