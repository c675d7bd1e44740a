import { z } from 'zod';
import { parseNumber, quantity } from '../../../../../contract/fields.ts';
import { type AdjustmentReason, adjustmentReason, newStockChange } from '../../../../../contract/stock.ts';
import { getIdempotencyKey } from '../../../../client/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';
import { stockPath } from './path.ts';

/** The labels of the form for each reason. */
export const adjustmentForms: Record<
  AdjustmentReason,
  { tab: string; label: string; hint?: string; submitLabel: string }
> = {
  delivery: { tab: 'Delivery', label: 'Pieces delivered', submitLabel: 'Record delivery' },
  return: {
    tab: 'Return',
    label: 'Pieces returned',
    hint: 'If you refund them too, return them with the refund instead.',
    submitLabel: 'Record return',
  },
  damage: { tab: 'Damage', label: 'Pieces damaged or lost', submitLabel: 'Record damage' },
  count: { tab: 'Count', label: 'Pieces counted', submitLabel: 'Record count' },
  other: {
    tab: 'Other',
    label: 'Pieces to add or remove',
    hint: 'Such as 3, or -2 to remove two.',
    submitLabel: 'Record change',
  },
};

const toSchema = (reason: AdjustmentReason) =>
  z.object({
    reason: adjustmentReason,
    pieces:
      reason === 'other'
        ? newStockChange.shape.change
        : quantity('Number of pieces', reason === 'count' ? 0 : 1),
    /** The stock that the form showed. */
    shown: z.preprocess(parseNumber, z.int('Reload this page and try again')),
    note: newStockChange.shape.note,
  });
type Adjustment = z.output<ReturnType<typeof toSchema>>;

/**
 * The change to record. A count changes the stock by its difference from the number that the form showed, so pieces sold
 * since then stay sold.
 */
function toChange({ reason, pieces, shown }: Adjustment): number {
  if (reason === 'count') return pieces - shown;
  return reason === 'damage' ? -pieces : pieces;
}

/** The change made, and the stock after it; undefined if a count matched the stock. */
export type Adjusted = { change: number; a_quantity: number } | undefined;

export const createStockForm = (
  id: string,
  reason: AdjustmentReason,
  formKey: string,
): ShopForm<Adjustment, Adjusted> => ({
  name: 'stock',
  fields: ['pieces', 'note', 'reason', 'shown'],
  parse: { pieces: parseNumber },
  validate: validateWith(toSchema(reason)),
  async send({ client }, adjustment) {
    const change = toChange(adjustment);
    if (change === 0) return undefined;
    const body = { change, reason: adjustment.reason, note: adjustment.note };
    const idempotencyKey = getIdempotencyKey(formKey, body);
    const { a_quantity } = await client.call('adjustStock', { params: { id }, body, idempotencyKey });
    return { change, a_quantity };
  },
  redirectTo: stockPath(id),
  doneCode: reason === 'count' ? 'counted' : 'recorded',
});
