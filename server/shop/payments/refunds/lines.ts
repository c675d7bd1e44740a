import { uuidv7 } from 'uuidv7';
import { formatPrice } from '../../../config/currency.ts';
import type { Tx } from '../../../database/schema.ts';
import type { Changes } from '../../audit/audit.ts';
import type { OrderRow } from '../../orders/queries.ts';
import type { LineRow } from '../../orders/refund-rows.ts';
import type { Shop } from '../../shop.ts';

/** The part of a refund that is for one order; `amount` is in minor units. */
export type NewLine = Pick<LineRow, 'amount' | 'quantity' | 'restock' | 'removed'> & { order: OrderRow };

/** In minor units. */
export const getRest = ({ total, refunded }: OrderRow): number => total - refunded;

/** The rest without the amount that the shop owes because a refund has failed. In minor units. */
export const getUnreserved = (order: OrderRow): number => getRest(order) - order.owed;

/** How many pieces of an order are not refunded. */
export const countUnrefunded = ({ quantity, refunded_quantity }: OrderRow): number =>
  quantity - refunded_quantity;

export async function insertLines(tx: Tx, refundId: string, lines: readonly NewLine[]): Promise<LineRow[]> {
  const rows = lines.map(({ order, amount, quantity, restock, removed }) => ({
    id: uuidv7(),
    refund_id: refundId,
    order_line_id: order.id,
    amount,
    quantity,
    restock,
    removed,
  }));
  await tx.insertInto('refund_line').values(rows).execute();
  return rows;
}

/** The changes of an order for the audit log; `order` is as it was before them. */
export function listChanges(
  shop: Shop,
  { order, amount, quantity, restock }: Omit<NewLine, 'removed'>,
): Changes {
  const { refunded, refunded_quantity, currency } = order;
  const pieces = quantity ?? 0;
  return {
    refunded: [formatPrice(shop, refunded, currency), formatPrice(shop, refunded + amount, currency)],
    ...(pieces > 0 ? { refundedQuantity: [refunded_quantity, refunded_quantity + pieces] } : {}),
    ...(restock > 0 ? { restocked: [0, restock] } : {}),
  };
}
