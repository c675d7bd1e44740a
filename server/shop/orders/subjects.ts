import { chargeNames } from '../../../contract/delivery/charge-names.ts';
import type { Db, Engine, Schema, Tx } from '../../database/schema.ts';
import { lockPurchaseOrders, type OrderRow } from './queries.ts';

/**
 * A refund can be for each of these: an order of the purchase, or a charge, which has an amount and no pieces. A charge has the
 * columns of its purchase, too.
 */
export type Subject = OrderRow & {
  charge?: {
    kind: Schema['charge']['kind'];
    /** An order of the purchase, under which the audit log lists the charge's refunds. */
    orderId: string;
  };
};

/** Locks a purchase. Returns its orders, sorted as the lines of the purchase, then its charges; none if it is gone. */
export async function lockSubjects(tx: Tx, engine: Engine, purchaseId: string): Promise<Subject[]> {
  return addCharges(tx, await lockPurchaseOrders(tx, engine, purchaseId));
}

/** All orders of one purchase, then its charges. If nothing is charged besides the orders, this reads nothing. */
export async function addCharges(db: Db | Tx, orders: readonly OrderRow[]): Promise<Subject[]> {
  const [first] = orders;
  const goods = orders.reduce((sum, { total }) => sum + total, 0);
  if (!first || goods === first.purchase_total) return [...orders];
  return [...orders, ...(await listCharges(db, first))];
}

/** The charges of an order's purchase. Without free delivery, of which nothing can be refunded. */
export async function listCharges(db: Db | Tx, order: OrderRow): Promise<Subject[]> {
  const charges = await db
    .selectFrom('charge')
    .selectAll()
    .where('purchase_id', '=', order.purchase_id)
    .where('amount', '>', 0)
    .execute();
  return charges.map(({ id, kind, amount, refunded, refund_pending, owed }) => ({
    ...order,
    id,
    charge: { kind, orderId: order.id },
    product_id: '',
    product_name: chargeNames[kind],
    image: null,
    total: amount,
    refunded,
    refund_pending,
    owed,
    quantity: 0,
    refunded_quantity: 0,
    removed: 0,
    returned: 0,
    shipped: 0,
    still_send: 0,
  }));
}

/** The audit log's target of a refund. */
export const toTarget = ({ id, product_name, charge }: Subject): { target: string; name: string } => ({
  target: charge?.orderId ?? id,
  name: product_name,
});
