import { z } from 'zod';
import type { Call } from '../call.ts';
import { charge } from '../delivery/quotes.ts';
import {
  id,
  insertedId,
  optionalText,
  quantity,
  seenVersion,
  singleLineRule,
  text,
  time,
  versionedCount,
} from '../fields.ts';
import { paths } from '../paths.ts';
import { cleanText } from '../text.ts';
import { readTrackingNumber } from './scanned-codes.ts';

/** An https URL without a user name, which could make the URL look like another site's. */
function isSafeUrl(value: string): boolean {
  if (value === '') return true;
  const url = URL.parse(value);
  return url?.protocol === 'https:' && !url.username && !url.password && /^https:\/\/[^\s\\]+$/i.test(value);
}

const readNumber = (value: string) => readTrackingNumber(cleanText(value));

/** The fields of `shipment`, without the rule about `version`. */
export const shipmentFields = z.object({
  orderStatus: z.literal('sipping', 'Order status must be "sipping"'),
  quantity: quantity('Pieces')
    .optional()
    .describe(
      'The number of pieces in this parcel; by default, all that are left. At most as many as are left (409).',
    ),
  carrier: optionalText('Carrier', 60)
    .unwrap()
    .refine(...singleLineRule('Carrier'))
    .optional()
    .describe('Guessed from the number if it is absent or empty.'),
  trackingNumber: optionalText('Tracking number', 60, readNumber)
    .unwrap()
    .regex(
      /^([A-Za-z0-9][A-Za-z0-9./-]*)?$/,
      'Tracking number can only have letters, digits, hyphens, dots and slashes',
    )
    .optional()
    .describe('The number or a scanned barcode that contains it; the number is stored, without spaces.'),
  shipment: id
    .optional()
    .describe('The parcel whose tracking is corrected; by default, the last one of a shipped order.'),
  // It has no pattern, so that a form with an invalid tracking number is rejected for that field alone.
  sharedNumber: z
    .string()
    .max(100)
    .overwrite(readNumber)
    .optional()
    .describe(
      "Repeats `trackingNumber` to confirm it after a `shared_number` error: another customer's order has the same number.",
    ),
  anyway: z
    .boolean()
    .optional()
    .describe(
      'Confirms that an order is shipped although the bank has taken its money back (`chargedBack`).',
    ),
  version: seenVersion
    .optional()
    .describe(
      'The version that you have seen; required unless `orderStatus` is the only field. If it is no longer current, nothing changes (409): a refund may have been made. A correction of the tracking does not change the version, so the last correction wins.',
    ),
  trackingUrl: optionalText('Tracking link', 500)
    .unwrap()
    .refine(isSafeUrl, 'Tracking link must be a URL that starts with https://')
    .optional()
    .describe(
      "Only for carriers that the shop does not know; otherwise the link leads to the carrier's page.",
    ),
});
/** The body of `shipOrder`. */
export const shipment = shipmentFields.refine(
  ({ orderStatus, version, ...others }) =>
    version !== undefined || Object.values(others).every((value) => value === undefined),
  { path: ['version'], message: 'Version is Required' },
);
export type Shipment = z.output<typeof shipment>;

const trackingFields = {
  carrier: z.string().optional(),
  trackingNumber: z.string().optional(),
  trackingUrl: z.string().optional().describe("Where the carrier shows the parcel's progress."),
};

/** Optional fields of an order. */
export const shippingFields = {
  paidAt: time
    .optional()
    .describe('Absent if the order is unpaid, or was paid before the shop recorded this time.'),
  shippedQuantity: z
    .int()
    .optional()
    .describe(
      'The number of pieces shipped so far; absent if none are. The order stays `paid` until no pieces are left to ship.',
    ),
  shippedAt: time
    .optional()
    .describe(
      'When the last parcel was shipped; absent if nothing is shipped. The tracking fields are also those of the last parcel.',
    ),
  ...trackingFields,
};

/** A parcel, with the pieces of one of its orders. */
export const parcel = z.object({
  _id: z.string(),
  ...trackingFields,
  shippedAt: time,
  quantity: z.int().describe("How many of the order's pieces are in it."),
  canUndo: z
    .boolean()
    .optional()
    .describe('Set while the parcel can be taken back, for a minute; only for admins.'),
});
export type Parcel = z.output<typeof parcel>;

const historyEntry = z.object({
  at: time,
  what: z
    .enum([
      'placed',
      'paid',
      'shipped',
      'tracking_changed',
      'shipment_undone',
      'delivery_changed',
      'returned',
      'refund_started',
      'refund_assigned',
      'refund_refused',
      'refunded',
      'owed_settled',
      'paid_twice',
      'unassigned_refund_started',
      'unassigned_refunded',
      'automatic_refund_started',
      'automatic_refunded',
      'disputed',
      'dispute_decided',
      'expired',
    ])
    .describe(
      [
        '`delivery_changed`: the name, address or phone was corrected.',
        '`returned`: pieces are in stock again.',
        '`refunded`: the provider has finished a refund, and `status` is the result; `refund_refused`: the provider did not accept a refund.',
        '`unassigned_…`: a refund made at the provider that is not assigned to an order.',
        '`automatic_…`: the refund of a payment that did not count towards the purchase.',
        '`owed_settled`: the shop no longer owes the amount of a failed refund, or never did; `status` is the outcome.',
        '`paid_twice`: the provider has made a refund whose amount an admin had already recorded as repaid another way.',
        'Only for admins: `tracking_changed`, `shipment_undone`, `returned`, `refund_assigned`, `refund_refused`, `owed_settled`, `paid_twice` and `dispute_decided`.',
      ].join(' '),
    ),
  who: z
    .string()
    .optional()
    .describe(
      "The admin's email address; absent for what the provider or the shop did. `the shop` for one of the shop's refunds that was missing from a restored backup. Only for admins.",
    ),
  amount: z.number().optional().describe('What was refunded, settled or disputed, in `currency`.'),
  currency: z.string().optional().describe("The currency of `amount`, if it is not the order's."),
  charge: charge.shape.kind.optional().describe('Set if the refund is for this charge, not for the order.'),
  quantity: z
    .int()
    .optional()
    .describe(
      'How many pieces were returned, refunded or shipped. Absent if a refund does not say, or a parcel has all pieces of the order.',
    ),
  status: z
    .string()
    .optional()
    .describe('The status or outcome of the refund or, only for admins, of the dispute.'),
});
export type HistoryEntry = z.output<typeof historyEntry>;
export const history = z.array(historyEntry);

/** A purchase shows only its newest notes, at most this many. */
export const maxNotes = 100;

export const note = z.object({ _id: z.string(), text: z.string(), who: z.string(), createdAt: time });
export type Note = z.output<typeof note>;
export const notes = z
  .array(note)
  .describe(
    `Internal notes about its purchase, newest first, at most ${maxNotes}; only for admins, and absent if there are none.`,
  );

export const newNote = z.object({ text: text('Note', 2000) });

export const newReturn = z.object({ version: seenVersion, quantity: quantity('Pieces') });

export const shippingCalls = {
  recordReturn: {
    ...paths.recordReturn,
    summary: 'Put shipped or refunded pieces of an order back into stock',
    access: 'admin',
    params: z.object({ id }),
    body: newReturn,
    response: versionedCount,
    conflicts: ['not_paid', 'purchase_changed', 'conflict'],
  },
  addOrderNote: {
    ...paths.addOrderNote,
    summary: "Add an internal note to an order's purchase; customers never see it",
    access: 'admin',
    params: z.object({ id }),
    body: newNote,
    idempotent: true,
    status: 201,
    response: insertedId,
  },
} as const satisfies Record<string, Call>;
