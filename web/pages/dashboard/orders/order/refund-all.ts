import { z } from 'zod';
import { id, parseNumber } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { newPurchaseRefund } from '../../../../../contract/orders/refunds.ts';
import { countLeft } from '../../../../../contract/orders/to-ship.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';
import { sumAmounts } from '../../account/my-orders/purchases.ts';

/** Whether the bank has taken the money back. An inquiry, whose status starts with `warning`, takes none. */
export const isChargedBack = ({ disputes = [] }: Order): boolean =>
  disputes.some(({ status, isOpen }) => status === 'lost' || (isOpen && !status.startsWith('warning')));

/** The part of a purchase's delivery that can still be refunded; 0 without delivery. */
export const findDeliveryRest = ({ charges = [] }: Purchase): number =>
  sumAmounts(charges.map(({ amount, refunded = 0, owed = 0 }) => amount - refunded - owed));

/** The part of a purchase that can still be refunded: its orders and delivery, the amount, and the unshipped pieces. */
export function findPurchaseRest(purchase: Purchase): { parts: number; amount: number; unshipped: number } {
  const { orders } = purchase;
  const delivery = findDeliveryRest(purchase);
  const open = orders.filter(({ price, refunded, owed = 0 }) => refunded + owed < price);
  const unshipped = open.filter(({ orderStatus }) => orderStatus === 'paid');
  return {
    parts: open.length + (delivery > 0 ? 1 : 0),
    amount: sumAmounts([delivery, ...open.map(({ price, refunded, owed = 0 }) => price - refunded - owed)]),
    unshipped: unshipped.reduce((sum, order) => sum + countLeft(order), 0),
  };
}

/**
 * Whether the form that refunds all that is left is offered: if that is for several orders, or an order and its delivery, or delivery
 * alone. Otherwise the form of the only order is enough.
 */
export const canRefundAll = (purchase: Purchase): boolean =>
  purchase.paid &&
  (findPurchaseRest(purchase).parts > 1 || findDeliveryRest(purchase) > 0) &&
  !purchase.unassignedRefunds?.length &&
  !purchase.orders.some(isChargedBack);

const values = newPurchaseRefund.extend({
  purchase: id,
  // A checkbox.
  restock: z.preprocess((input) => input === 'true', z.boolean()),
});

/** Refunds all that is left of a purchase. */
export const refundAllForm = defineForm({
  name: 'refund-all',
  fields: ['restock', 'reason', 'note', 'purchase', 'version'],
  access: 'admin',
  parse: { version: parseNumber },
  validate: validateWith(values),
  send: ({ client, key }, { version, purchase, ...body }: z.output<typeof values>) =>
    client.call('refundPurchase', {
      params: { id: purchase },
      body: { version, ...body },
      idempotencyKey: getIdempotencyKey(key, body),
    }),
  donePage: (_, params) => `${orderPages}/${params.id}?done=refunded`,
});
