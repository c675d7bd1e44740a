import { z } from 'zod';
import { parseNumber } from '../../../../../contract/fields.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { newPurchaseRefund } from '../../../../../contract/orders/refunds.ts';
import { countLeft } from '../../../../../contract/orders/to-ship.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';
import { isChargedBack } from './chargeback.ts';

/** The orders of a purchase of which something can be refunded, and the amount and unshipped pieces that are left of them. */
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

/** Whether all that is left can be refunded at once, which makes a difference if that is a part of several orders. */
export const canRefundAll = (purchase: Purchase): boolean =>
  purchase.paid &&
  findRest(purchase).orders > 1 &&
  !purchase.unassignedRefunds?.length &&
  !purchase.orders.some(isChargedBack);

const form = newPurchaseRefund.extend({
  // A checkbox.
  restock: z.preprocess((input) => input === 'true', z.boolean()),
});

/** Refunds all that is left of a purchase. A plain post has the `version` of its own page. */
export const createRefundAllForm = (
  { _id, number }: Purchase,
  formKey: string,
  version?: number,
): ShopForm<z.output<typeof form>> => ({
  name: 'refund-all',
  fields: ['restock', 'reason', 'note', 'version'],
  parse: { version: parseNumber },
  validate: validateVersioned(form, version),
  send: ({ client }, { version: seen, ...body }) =>
    client.call('refundPurchase', {
      params: { id: _id },
      body: { version: seen, ...body },
      idempotencyKey: getIdempotencyKey(formKey, body),
    }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'refunded',
});
