import type { z } from 'zod';
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

/** Refunds an order of a purchase. A plain post has the `version` of its own page. */
export const createRefundForm = (
  number: string,
  order: string,
  formKey: string,
  version?: number,
): ShopForm<z.output<typeof newRefund>> => ({
  name: 'refund',
  fields: ['quantity', 'amount', 'reason', 'restock', 'note', 'version'],
  parse: { quantity: parsePieces, amount: parseAmount, restock: parsePieces, version: parseNumber },
  // Without an amount, the call refunds everything that is left: a cleared field must not.
  validate: validateVersioned(newRefund.extend({ amount: newRefund.shape.amount.unwrap() }), version),
  send: ({ client }, { version, ...body }) =>
    client.call('refundOrder', {
      params: { id: order },
      body: { version, ...body },
      idempotencyKey: getIdempotencyKey(formKey, body),
    }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'refunded',
});
