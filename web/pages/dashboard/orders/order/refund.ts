import { z } from 'zod';
import { parseAmount, parseNumber, parsePieces } from '../../../../../contract/fields.ts';
import { newRefund, type RefundReason } from '../../../../../contract/orders/refunds.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

export const refundReasonLabels: Record<RefundReason, string> = {
  requested_by_customer: 'The customer asked for it',
  duplicate: 'Paid twice',
  fraudulent: 'Fraud',
  other: 'Other reason',
};

/** Without pieces, only the price is lowered. */
const form = newRefund.extend({
  quantity: newRefund.shape.quantity.optional(),
  restock: newRefund.shape.restock.default(0),
  // A checkbox.
  stillSend: z.preprocess((input) => input === 'true', z.boolean()),
});

/** An empty field is undefined; validation rejects an empty amount. */
type RefundValues = Omit<z.output<typeof form>, 'amount'> & { amount: number | undefined };

/** Refunds an order of a purchase. A plain post has the `version` of its own page. */
export const createRefundForm = (
  number: string,
  order: string,
  formKey: string,
  version?: number,
): ShopForm<RefundValues> => ({
  name: 'refund',
  fields: ['quantity', 'amount', 'reason', 'restock', 'stillSend', 'note', 'version'],
  parse: { quantity: parsePieces, amount: parseAmount, restock: parsePieces, version: parseNumber },
  validate: validateVersioned(form, version),
  send({ client }, { version, amount = 0, quantity = 0, ...others }) {
    const body = { amount, quantity, ...others };
    return client.call('refundOrder', {
      params: { id: order },
      body: { version, ...body },
      idempotencyKey: getIdempotencyKey(formKey, body),
    });
  },
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'refunded',
});
