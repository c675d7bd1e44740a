import { z } from 'zod';
import { amount, id, parseAmount, parseNumber, seenVersion } from '../../../../../contract/fields.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { refundReason, settlement } from '../../../../../contract/orders/refunds.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

export const owedOutcomes = ['again', 'repaid', 'nothing_owed'] as const;

const values = settlement.extend({
  refund: id,
  order: id,
  amount: amount('Amount'),
  reason: refundReason,
  outcome: z.enum(owedOutcomes, 'Choose an outcome'),
  version: seenVersion,
});

/**
 * The amount still owed from a failed refund. A refund can be for several orders and charges: it is settled as a whole, at the first
 * of them (`at`, an order's id or a charge's kind).
 */
export function findOwed({ orders, charges = [] }: Purchase, refundId: string) {
  // An amount that is owed for delivery alone is refunded again through any order of the purchase.
  const anyOrder = orders[0]?._id ?? '';
  const parts = [
    ...orders.map(({ _id, refunds = [] }) => ({ at: _id, order: _id, refunds })),
    ...charges.map(({ kind, refunds = [] }) => ({ at: kind, order: anyOrder, refunds })),
  ].flatMap(({ refunds, ...part }) =>
    refunds.filter(({ _id }) => _id === refundId).map((refund) => ({ ...part, refund })),
  );
  const cents = parts.reduce((sum, { refund }) => sum + Math.round((refund.owed ?? 0) * 100), 0);
  return { first: parts[0], amount: cents / 100 };
}

/** Refunds the amount of a failed refund again, or records that it was paid another way or is not owed. */
export const owedForm = defineForm({
  name: 'owed',
  fields: ['outcome', 'note', 'refund', 'order', 'amount', 'reason', 'version'],
  access: 'admin',
  parse: { amount: parseAmount, version: parseNumber },
  validate: validateWith(values),
  async send({ client, key }, { refund, order, outcome, version, ...others }: z.output<typeof values>) {
    if (outcome === 'again') {
      const body = { ...others, quantity: 0, restock: 0, replaces: refund };
      await client.call('refundOrder', {
        params: { id: order },
        body: { version, ...body },
        idempotencyKey: getIdempotencyKey(key, body),
      });
    } else {
      const body = { outcome, note: others.note };
      await client.call('settleRefund', { params: { id: refund }, body });
    }
    return outcome;
  },
  donePage: (_, params) => `${orderPages}/${params.id}?done=owed`,
});
