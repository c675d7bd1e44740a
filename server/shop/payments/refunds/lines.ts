import { uuidv7 } from 'uuidv7';
import { ShopError } from '../../../../contract/errors.ts';
import { formatPrice } from '../../../config/currency.ts';
import type { Tx } from '../../../database/schema.ts';
import type { Changes } from '../../audit/audit.ts';
import type { OrderRow } from '../../orders/queries.ts';
import type { LineRow } from '../../orders/refund-rows.ts';
import type { Subject } from '../../orders/subjects.ts';
import type { Shop } from '../../shop.ts';

/** The part of a refund that is for one order or charge; `amount` is in minor units. */
export type NewLine = Pick<LineRow, 'amount' | 'quantity' | 'restock' | 'removed'> & { order: Subject };

/** The part of an order's price, or of a charge, that is not refunded yet, in minor units. */
export const getRest = ({ total, refunded }: OrderRow): number => total - refunded;

/** The rest without the amount that the shop owes because a refund has failed. In minor units. */
export const getUnreserved = (order: OrderRow): number => getRest(order) - order.owed;

/** The rest of all orders and charges of a purchase, less the refunds that are not assigned to them. In minor units. */
export const getRestOfAll = (subjects: readonly Subject[]): number =>
  subjects.reduce((sum, subject) => sum + getRest(subject), 0) - (subjects[0]?.unassigned ?? 0);

/** How many pieces of an order are not refunded. */
export const countUnrefunded = ({ quantity, refunded_quantity }: OrderRow): number =>
  quantity - refunded_quantity;

/** Throws 409 if a refund of a locked purchase, together with what the bank has taken back, is more than was paid. */
export function checkChargedBack(
  shop: Shop,
  subjects: readonly Subject[],
  lines: readonly { amount: number }[],
): void {
  const [first] = subjects;
  if (!first || first.charged_back === 0) return;
  const { charged_back, currency } = first;
  const left = getRestOfAll(subjects) - charged_back;
  if (lines.reduce((sum, { amount }) => sum + amount, 0) <= left) return;
  const most = formatPrice(shop, Math.max(0, left), currency);
  const taken = `The bank has already returned ${formatPrice(shop, charged_back, currency)} of this order to the customer`;
  throw new ShopError('over_refund', `${taken}: at most ${most} can still be refunded.`);
}

export async function insertLines(tx: Tx, refundId: string, lines: readonly NewLine[]): Promise<LineRow[]> {
  const ofOrders = lines
    .filter(({ order }) => !order.charge)
    .map(({ order, amount, quantity, restock, removed }) => ({
      id: uuidv7(),
      refund_id: refundId,
      order_line_id: order.id,
      amount,
      quantity,
      restock,
      removed,
    }));
  const ofCharges = lines
    .filter(({ order }) => order.charge)
    .map(({ order, amount }) => ({ refund_id: refundId, charge_id: order.id, amount }));
  if (ofOrders.length > 0) await tx.insertInto('refund_line').values(ofOrders).execute();
  if (ofCharges.length > 0) await tx.insertInto('refund_charge').values(ofCharges).execute();
  return [
    ...ofOrders.map(({ order_line_id: subject_id, ...line }) => ({ ...line, subject_id })),
    ...ofCharges.map(({ charge_id, ...line }) => ({
      ...line,
      id: charge_id,
      subject_id: charge_id,
      quantity: 0,
      restock: 0,
      removed: 0,
    })),
  ];
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
