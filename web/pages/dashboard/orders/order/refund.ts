import type { z } from 'zod';
import { parseAmount, parsePieces } from '../../../../../contract/fields.ts';
import { newRefund, type RefundReason } from '../../../../../contract/orders/refunds.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

export const refundReasonLabels: Record<RefundReason, string> = {
  requested_by_customer: 'The customer asked for it',
  duplicate: 'Paid twice',
  fraudulent: 'Fraud',
  other: 'Other reason',
};

/** Refunds an order of a purchase. */
export const createRefundForm = (
  number: string,
  order: string,
  formKey: string,
): ShopForm<z.output<typeof newRefund>> => ({
  name: 'refund',
  fields: ['quantity', 'amount', 'reason', 'restock', 'note'],
  parse: { quantity: parsePieces, amount: parseAmount, restock: parsePieces },
  // Without an amount, the call refunds everything that is left: a cleared field must not.
  validate: validateWith(newRefund.extend({ amount: newRefund.shape.amount.unwrap() })),
  send: ({ client }, body) =>
    client.call('refundOrder', {
      params: { id: order },
      body,
      idempotencyKey: getIdempotencyKey(formKey, body),
    }),
  redirectTo: `/dashboard/orders/${number}`,
  doneCode: 'refunded',
});
