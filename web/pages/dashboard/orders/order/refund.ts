import { z } from 'zod';
import {
  amount,
  id,
  parseAmount,
  parseNumber,
  parsePieces,
  seenVersion,
} from '../../../../../contract/fields.ts';
import { newRefund, type RefundReason } from '../../../../../contract/orders/refunds.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

export const refundReasonLabels: Record<RefundReason, string> = {
  requested_by_customer: 'The customer asked for it',
  duplicate: 'Paid twice',
  fraudulent: 'Fraud',
  other: 'Other reason',
};

/** Without pieces, only the price is lowered. */
const values = newRefund.omit({ charges: true }).extend({
  order: id,
  delivery: amount('Delivery', 0).default(0),
  quantity: newRefund.shape.quantity.default(0),
  restock: newRefund.shape.restock.default(0),
  // A checkbox.
  stillSend: z.preprocess((input) => input === 'true', z.boolean()),
  version: seenVersion,
});

/** Refunds an order of a purchase. */
export const refundForm = defineForm({
  name: 'refund',
  fields: ['quantity', 'amount', 'delivery', 'reason', 'restock', 'stillSend', 'note', 'order', 'version'],
  access: 'admin',
  parse: {
    quantity: parsePieces,
    amount: parseAmount,
    delivery: parseAmount,
    restock: parsePieces,
    version: parseNumber,
  },
  validate: validateWith(values),
  send({ client, key }, { order, version, delivery, ...others }: z.output<typeof values>) {
    const charges = delivery > 0 ? { charges: [{ kind: 'delivery' as const, amount: delivery }] } : {};
    const body = { ...others, ...charges };
    return client.call('refundOrder', {
      params: { id: order },
      body: { version, ...body },
      idempotencyKey: getIdempotencyKey(key, body),
    });
  },
  donePage: (_, params) => `${orderPages}/${params.id}?done=refunded`,
});
