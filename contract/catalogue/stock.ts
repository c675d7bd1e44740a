import { z } from 'zod';
import type { Call } from '../call.ts';
import { id, insertedId, optionalText, page, quantity, time } from '../fields.ts';
import { paths } from '../paths.ts';

/** Why an admin changes the stock. */
export const adjustmentReason = z.enum(['delivery', 'return', 'damage', 'count', 'other'], 'Choose a reason');
export type AdjustmentReason = z.output<typeof adjustmentReason>;

const stockReason = z.enum(
  [
    ...adjustmentReason.options,
    ...(['opening', 'sale', 'order_deleted', 'hold_expired', 'late_payment', 'restock'] as const),
  ],
  'Unknown reason',
);
export type StockReason = z.output<typeof stockReason>;

/** The limit for what admins record. Pieces of deleted orders and refunds always return to stock, even beyond it. */
export const maxStock = 1_000_000;

const nothing = 'Change must not be 0';

/** The pieces that an admin adds or, if negative, removes. */
export const stockDifference = quantity('Change', -maxStock).refine((change) => change !== 0, nothing);

export const newStockChange = z
  .object({
    change: quantity('Change', -maxStock).describe(
      'Pieces to add, or to remove if negative. 0 is allowed only for a count with `expected`, and records that the count matches.',
    ),
    reason: adjustmentReason,
    note: optionalText('Note', 1000),
    expected: z
      .int('Expected number must be a whole number')
      .optional()
      .describe(
        'For a count: the number of pieces that `change` starts from, `a_quantity` plus `ordered`. If it is no longer current, nothing changes (409), and `data.expected` is the current one.',
      ),
  })
  .refine(({ change, reason, expected }) => change !== 0 || (reason === 'count' && expected !== undefined), {
    path: ['change'],
    message: nothing,
  });

/** The message for an admin who would raise the stock above `maxStock`. */
export const describeExcess = (level: number): string =>
  `The stock would be ${level}, but may be at most ${maxStock}.`;

/** The message for an admin whose expected number is no longer current. */
export const describeShelfChange = (expected: number, shown: number): string =>
  `The shelf has changed since you opened this form: the expected number is now ${expected}, not ${shown}. Check your count, then record it.`;

export const stockChange = z.object({
  _id: z.string(),
  product: z.string().describe("The product's id."),
  name: z.string().describe("The product's name."),
  change: z.int(),
  level: z.int().describe('The stock after the change: the level before plus `change`.'),
  reason: stockReason.describe(
    '`late_payment`: an expired order, which had been paid in time, took its stock again. `restock`: a refund returned pieces. `opening`: the stock when recording began.',
  ),
  note: z.string(),
  who: z.string().optional().describe("The admin's email address; the customer's for a sale."),
  order: z.string().optional().describe("The order's id, unless it has been deleted."),
  number: z.string().optional().describe("That order's number."),
  createdAt: time,
});
export type StockChange = z.output<typeof stockChange>;

const params = z.object({ id });

export const stockCalls = {
  adjustStock: {
    ...paths.adjustStock,
    summary: 'Record a delivery, a return, damage or a count',
    access: 'admin',
    params,
    body: newStockChange,
    idempotent: true,
    status: 201,
    response: insertedId.extend({ a_quantity: z.int().describe('Quantity in stock after the change.') }),
    conflicts: ['out_of_stock', 'edit_conflict', 'conflict'],
  },
  listProductStock: {
    ...paths.listProductStock,
    summary: "List a product's stock changes, newest first",
    access: 'admin',
    params,
    query: page,
    response: z.array(stockChange),
  },
  listStock: {
    ...paths.listStock,
    summary: 'List the stock changes of all products, newest first',
    access: 'admin',
    query: page.extend({ reason: stockReason.optional().describe('Only changes for this reason.') }),
    response: z.array(stockChange),
  },
} as const satisfies Record<string, Call>;
