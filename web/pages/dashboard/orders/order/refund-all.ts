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

/** Whether the bank has taken the money back. An inquiry, whose status starts with `warning`, takes none. */
export const isChargedBack = ({ disputes = [] }: Order): boolean =>
  disputes.some(({ status, isOpen }) => status === 'lost' || (isOpen && !status.startsWith('warning')));

/** The part of a purchase that can still be refunded: the number of orders, the amount, and the unshipped pieces. */
export function findRest({ orders }: Purchase): { orders: number; amount: number; unshipped: number } {
  const open = orders.filter(({ price, refunded, owed = 0 }) => refunded + owed < price);
  const cents = open.reduce(
    (sum, { price, refunded, owed = 0 }) => sum + Math.round((price - refunded - owed) * 100),
    0,
  );
  const unshipped = open.filter(({ orderStatus }) => orderStatus === 'paid');
  return {
    orders: open.length,
    amount: cents / 100,
    unshipped: unshipped.reduce((sum, order) => sum + countLeft(order), 0),
  };
}

/** Whether the form that refunds all that is left is offered. It is useful only if several orders can be refunded. */
export const canRefundAll = (purchase: Purchase): boolean =>
  purchase.paid &&
  findRest(purchase).orders > 1 &&
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
