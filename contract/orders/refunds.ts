import { z } from 'zod';
import type { Call } from '../call.ts';
import { charge } from '../delivery/quotes.ts';
import {
  amount,
  id,
  insertedId,
  optionalText,
  quantity,
  seenVersion,
  time,
  versionedCount,
} from '../fields.ts';
import { paths } from '../paths.ts';

export const refundReason = z.enum(
  ['requested_by_customer', 'duplicate', 'fraudulent', 'other'],
  'Choose a reason',
);
export type RefundReason = z.output<typeof refundReason>;

const refundStatus = z
  .enum(['pending', 'succeeded', 'failed', 'canceled'])
  .describe(
    'Failed and canceled refunds do not count. A refund that succeeded can still fail: the shop then owes its amount.',
  );
export type RefundStatus = z.output<typeof refundStatus>;

const refundOutcome = z
  .enum(['refunded', 'repaid', 'nothing_owed'])
  .describe(
    'Why the shop no longer owes the amount of a failed refund: `refunded` again, `repaid` another way, or `nothing_owed`.',
  );
export type RefundOutcome = z.output<typeof refundOutcome>;

export const refund = z.object({
  _id: z.string(),
  amount: z.number().describe("In the order's currency."),
  status: refundStatus,
  reason: refundReason,
  quantity: z
    .int()
    .optional()
    .describe(
      'The number of pieces refunded, 0 for a price reduction; absent if unknown, as for a refund made at the provider.',
    ),
  createdAt: time,
  updatedAt: time.describe('When its status last changed.'),
  owed: z
    .number()
    .optional()
    .describe('The part of a failed refund that the shop still owes; absent if it owes nothing.'),
  outcome: refundOutcome.optional(),
  replaces: z.string().optional().describe('The id of the failed refund whose amount this one pays.'),
  restock: z
    .int()
    .optional()
    .describe('How many pieces return to stock once the provider has accepted the refund; only for admins.'),
  note: z.string().optional().describe('Only for admins.'),
  failure: z.string().optional().describe('Why it failed, if it did; only for admins.'),
  requestedBy: z
    .string()
    .optional()
    .describe(
      "The admin's email address, `''` for a refund made at the provider, or `the shop` for one of the shop's refunds that was missing from a restored backup; only for admins.",
    ),
});
export type Refund = z.output<typeof refund>;

/** The refund of a payment that did not count towards a purchase. */
export const automaticRefund = z.object({
  _id: z.string(),
  amount: z.number(),
  currency: z.string().describe("The payment's currency."),
  status: refundStatus,
  transactionId: z.string().describe("The payment intent's id."),
  createdAt: time,
  updatedAt: time.describe('When its status last changed.'),
  failure: z.string().optional().describe('Why it failed, if it did; only for admins.'),
});
export type AutomaticRefund = z.output<typeof automaticRefund>;

export const dispute = z.object({
  _id: z.string().describe("The dispute's id at the payment provider."),
  amount: z.number().describe('For the whole purchase.'),
  status: z.string().describe("The provider's status, such as `needs_response`, `won` or `lost`."),
  isOpen: z.boolean().describe('Whether it is undecided.'),
  reason: z.string().describe("The provider's reason, such as `product_not_received`."),
  createdAt: time,
  respondBy: time.optional().describe("The provider's deadline for evidence."),
});
export type Dispute = z.output<typeof dispute>;

/** The parts of a refund that are for charges. */
const refundCharges = z
  .array(z.object({ kind: charge.shape.kind, amount: amount('Delivery') }))
  .max(1, 'List each charge only once')
  .optional();

export const newRefund = z.object({
  version: seenVersion,
  amount: amount('Amount', 0).describe(
    'For the order: at most the part of its price that is neither refunded nor owed. 0 only to refund nothing but `charges`.',
  ),
  charges: refundCharges.describe(
    'What is refunded of the charges in addition to `amount`: at most the part of each that is neither refunded nor owed.',
  ),
  reason: refundReason,
  quantity: quantity('Pieces to refund', 0).describe(
    'At most the pieces that are not refunded yet; 0 to lower the price only. Unshipped pieces are refunded first, and will not be shipped.',
  ),
  restock: quantity('Pieces to return to stock', 0).describe(
    'How many of the refunded pieces that were not shipped return to stock, once the provider has accepted the refund.',
  ),
  note: optionalText('Note', 1000),
  stillSend: z
    .boolean()
    .default(false)
    .describe(
      'Whether the remaining pieces are shipped although all of the money is refunded. Otherwise such a refund is rejected (422).',
    ),
  replaces: id
    .optional()
    .describe(
      'The id of a failed refund that this refund replaces. The amount must be exactly what is still owed of the failed refund, with its charges, and `quantity` and `restock` must be 0, and `charges` absent. The amount stays owed until the provider has accepted this refund.',
    ),
});

/** The body of `refundPurchase`. */
export const newPurchaseRefund = newRefund.pick({ version: true, reason: true, note: true }).extend({
  restock: z
    .boolean()
    .default(false)
    .describe('Whether the unshipped pieces return to stock, once the provider has accepted the refund.'),
});

/** The body of `assignRefund`. */
export const refundLines = z
  .object({
    version: seenVersion,
    lines: z
      .array(
        z.object({
          order: id,
          amount: amount('Amount'),
          quantity: quantity('Pieces refunded', 0).describe(
            'Unshipped pieces are refunded first, and will not be shipped.',
          ),
          restock: quantity('Pieces to return to stock', 0),
        }),
      )
      .max(50)
      .refine(
        (lines) => new Set(lines.map(({ order }) => order)).size === lines.length,
        'List each order only once',
      )
      .describe(
        'The orders that the refund is for. Their amounts, with those of `charges`, add up to the amount of the refund.',
      ),
    charges: refundCharges.describe('The charges that the refund is for.'),
  })
  .refine(({ lines, charges = [] }) => lines.length + charges.length > 0, {
    message: 'Choose a tool',
    path: ['lines'],
  });

export const settlement = z.object({
  outcome: refundOutcome.exclude(['refunded'], 'Choose an outcome'),
  note: optionalText('Note', 1000).describe("Kept with the order's notes."),
});

export const refundCalls = {
  refundOrder: {
    ...paths.refundOrder,
    summary: 'Refund a paid order, fully or in part; retried until the provider responds',
    access: 'admin',
    params: z.object({ id }),
    body: newRefund,
    idempotent: true,
    status: 201,
    response: insertedId.extend({ version: z.int().describe('The current version.') }),
    errors: [402],
    conflicts: ['not_paid', 'purchase_changed', 'over_refund', 'conflict'],
  },
  refundPurchase: {
    ...paths.refundPurchase,
    summary: 'Refund all that is left of a paid purchase at once; retried until the provider responds',
    access: 'admin',
    params: z.object({ id }),
    body: newPurchaseRefund,
    idempotent: true,
    status: 201,
    response: insertedId.extend({ version: z.int().describe('The current version.') }),
    errors: [402],
    conflicts: ['not_paid', 'purchase_changed', 'over_refund', 'conflict'],
  },
  assignRefund: {
    ...paths.assignRefund,
    summary: 'Assign a refund made at the provider to orders',
    access: 'admin',
    params: z.object({ id }),
    body: refundLines,
    response: versionedCount,
    conflicts: ['purchase_changed', 'over_refund', 'conflict'],
  },
  settleRefund: {
    ...paths.settleRefund,
    summary: 'Record that the amount of a failed refund was repaid another way, or is not owed',
    access: 'admin',
    params: z.object({ id }),
    body: settlement,
    response: versionedCount,
    conflicts: ['over_refund', 'conflict'],
  },
} as const satisfies Record<string, Call>;
