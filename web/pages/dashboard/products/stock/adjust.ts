import { z } from 'zod';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import {
  type AdjustmentReason,
  adjustmentReason,
  newStockChange,
  stockDifference,
} from '../../../../../contract/catalogue/stock.ts';
import { id, parseNumber, parsePieces, quantity } from '../../../../../contract/fields.ts';
import { managedProductPages } from '../../../../../contract/page-addresses.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

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
    label: 'Change',
    hint: 'Pieces to add, or to remove if negative, such as 3 or -2.',
    submitLabel: 'Record change',
  },
};

const toSchema = (reason: AdjustmentReason) =>
  z.object({
    product: id,
    reason: adjustmentReason,
    pieces:
      reason === 'other'
        ? stockDifference
        : quantity(`Number of ${adjustmentForms[reason].label.toLowerCase()}`, reason === 'count' ? 0 : 1),
    /** The pieces on the shelf that the form showed. */
    shown: z.preprocess(parseNumber, z.int('Reload this page and try again')),
    note: newStockChange.shape.note,
  });
type Adjustment = z.output<ReturnType<typeof toSchema>>;

/**
 * The pieces on a product's shelf: its stock and the pieces of open orders. An order that is placed or expires does not change
 * this number.
 */
export const countShelf = ({ a_quantity, ordered = 0 }: Pick<Product, 'a_quantity' | 'ordered'>): number =>
  a_quantity + ordered;

/** The change to record. A count changes the stock by its difference from the shelf that the form showed. */
function toChange({ reason, pieces, shown }: Adjustment): number {
  if (reason === 'count') return pieces - shown;
  return reason === 'damage' ? -pieces : pieces;
}

/** The number of pieces now on the shelf, if a count was rejected because the number has changed. */
export function readExpected(error: unknown): number | undefined {
  const expected = error instanceof ApiError ? error.problem.data?.expected : undefined;
  return typeof expected === 'number' ? expected : undefined;
}

/** The change made, and the stock after it. */
export type Adjusted = { change: number; a_quantity: number };

const readReason = (input: unknown): AdjustmentReason =>
  z.object({ reason: adjustmentReason }).safeParse(input).data?.reason ?? 'delivery';

/** Records a change of a product's stock. */
export const stockForm = defineForm({
  name: 'stock',
  fields: ['pieces', 'note', 'product', 'reason', 'shown'],
  access: 'admin',
  parse: { pieces: parsePieces },
  validate: (input) => validateWith(toSchema(readReason(input)))(input),
  async send({ client, key }, adjustment: Adjustment) {
    const { product, reason, note, shown } = adjustment;
    const change = toChange(adjustment);
    const body = { change, reason, note, ...(reason === 'count' ? { expected: shown } : {}) };
    const idempotencyKey = getIdempotencyKey(key, body);
    const { a_quantity } = await client.call('adjustStock', {
      params: { id: product },
      body,
      idempotencyKey,
    });
    return { product, reason, adjusted: { change, a_quantity } };
  },
  donePage: ({ product, reason }) =>
    `${managedProductPages}/${product}/stock?done=${reason === 'count' ? 'counted' : 'recorded'}`,
});
