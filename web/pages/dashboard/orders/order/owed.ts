import { z } from 'zod';
import { id, parseNumber, seenVersion } from '../../../../../contract/fields.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { settlement } from '../../../../../contract/orders/refunds.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateVersioned } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

export const owedOutcomes = ['again', 'repaid', 'nothing_owed'] as const;

const values = settlement.extend({
  refund: id,
  outcome: z.enum(owedOutcomes, 'Choose an outcome'),
  version: seenVersion,
});

/** What is still owed of a failed refund. A refund can be for several orders: it is settled as a whole. */
export function findOwed({ orders }: Purchase, refundId: string) {
  const parts = orders.flatMap(({ _id, refunds = [] }) =>
    refunds.filter((refund) => refund._id === refundId).map((refund) => ({ order: _id, refund })),
  );
  const cents = parts.reduce((sum, { refund }) => sum + Math.round((refund.owed ?? 0) * 100), 0);
  return { first: parts[0], amount: cents / 100 };
}

/** Refunds the amount of a failed refund again, or records that it was paid another way or is not owed. */
export const createOwedForm = (
  purchase: Purchase,
  formKey: string,
  version?: number,
): ShopForm<z.output<typeof values>> => ({
  name: 'owed',
  fields: ['refund', 'outcome', 'note', 'version'],
  parse: { version: parseNumber },
  validate: validateVersioned(values, version),
  send({ client }, { refund: refundId, outcome, note, version: seen }) {
    if (outcome !== 'again')
      return client.call('settleRefund', { params: { id: refundId }, body: { outcome, note } });
    const { first, amount } = findOwed(purchase, refundId);
    const body = {
      amount,
      quantity: 0,
      restock: 0,
      reason: first?.refund.reason ?? 'other',
      note,
      replaces: refundId,
    };
    return client.call('refundOrder', {
      params: { id: first?.order ?? '' },
      body: { version: seen, ...body },
      idempotencyKey: getIdempotencyKey(formKey, body),
    });
  },
  redirectTo: `/dashboard/orders/${purchase.number}`,
  doneCode: 'owed',
});
