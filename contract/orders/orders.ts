import { z } from 'zod';
import type { Call } from '../call.ts';
import { postalAddress } from '../delivery/addresses.ts';
import {
  deletedCount,
  email,
  id,
  ignored,
  insertedId,
  optionalText,
  price,
  quantity,
  text,
  time,
  versionedCount,
} from '../fields.ts';
import { paths } from '../paths.ts';
import { dispute, refund } from './refunds.ts';
import { history, notes, parcel, shipment, shippingFields } from './shipping.ts';

/** `sipping` is the specification's wording. */
export const orderStatus = z
  .enum(['', 'paid', 'sipping', 'expired'])
  .describe(
    "`''`, then `paid`, then `sipping` (shipped); `expired` once the hold of an unpaid order has ended.",
  );
export type OrderStatus = z.output<typeof orderStatus>;

export const order = z.object({
  _id: z.string(),
  purchase: z.string().describe('The id of its purchase, which is paid as a whole.'),
  number: z.string().describe("The purchase's human-readable reference, such as `K7QD-2M4X`."),
  orderId: z.string().describe("The product's id. The field's name comes from the specification."),
  product: z.string().describe("The product's name when it was ordered."),
  img: z.string().optional().describe("The product's current image; absent once the product is deleted."),
  orderQuantity: z.int(),
  price: z.number().describe('The total, in `currency`.'),
  currency: z.string().describe('ISO 4217 code of the currency that the order was placed in.'),
  user: z.string().describe("The customer's email address."),
  userName: z.string(),
  phone: z.string(),
  address: z.string(),
  orderStatus,
  paid: z.boolean(),
  transactionId: z.string().optional().describe("The payment intent's id, once the order is paid."),
  createdAt: time,
  holdUntil: time.optional().describe('When the stock hold ends; only while the order is unpaid.'),
  ...shippingFields,
  refunded: z.number().describe('The total refunded so far, not counting failed and canceled refunds.'),
  refundPending: z.number().optional().describe('The part of `refunded` that is pending; absent if none is.'),
  owed: z
    .number()
    .optional()
    .describe(
      'What the shop still owes the customer because refunds have failed, at most the price; absent if it owes nothing.',
    ),
  refundedQuantity: z
    .int()
    .optional()
    .describe('The number of pieces refunded, shipped or not; absent if none are.'),
  removedQuantity: z
    .int()
    .optional()
    .describe(
      'The number of pieces that are not shipped because they were refunded first; absent if none are.',
    ),
  returnedQuantity: z
    .int()
    .optional()
    .describe('The number of refunded or shipped pieces that are in stock again; absent if none are.'),
  stillSend: z
    .boolean()
    .optional()
    .describe("Set if the order's pieces are to be shipped although all of its money is refunded."),
  version: z
    .int()
    .describe(
      'Counts the changes of the purchase, except corrections of tracking. Send it back with a change.',
    ),
  unassigned: z
    .number()
    .optional()
    .describe(
      'What was refunded of the purchase at the provider and is not assigned to an order; absent if nothing is. Check it before shipping.',
    ),
  disputed: z.boolean().describe('Whether the payment has an undecided dispute.'),
  chargedBack: z
    .number()
    .optional()
    .describe(
      "What the bank has taken back of the purchase's payment because a dispute was lost; absent if nothing. The purchase's orders should not be shipped.",
    ),
  shipments: z.array(parcel).optional().describe('Its parcels, oldest first; not in lists.'),
  refunds: z.array(refund).optional().describe('Oldest first; not in lists.'),
  disputes: z.array(dispute).optional().describe('Oldest first; not in lists, and only for admins.'),
  history: history.optional().describe('Oldest first; not in lists.'),
  notes: notes.optional(),
  shipTo: postalAddress
    .optional()
    .describe('The parts of `address`, if they were entered at the checkout; not in lists.'),
  billTo: postalAddress
    .optional()
    .describe('The address on the invoice, if it is another one; not in lists.'),
  remark: z.string().optional().describe("The customer's remark; not in lists."),
});
export type Order = z.output<typeof order>;

export const newOrder = z.object({
  orderId: id.describe("The product's id. The field's name comes from the specification."),
  orderQuantity: quantity('Quantity').describe("From the product's `o_quantity` to its `a_quantity`."),
  price: price.describe('The total shown to the customer; rejected if it has changed (409).'),
  user: email.describe("The caller's own email address; any other is rejected (403)."),
  phone: optionalText('Phone'),
  address: optionalText('Address'),
  product: ignored,
  userName: ignored,
  orderStatus: ignored,
});

const byId = z.object({ id });

export const orderCalls = {
  getOrder: {
    ...paths.getOrder,
    summary: 'Get an order',
    access: 'owner-or-admin',
    params: byId,
    response: order,
  },
  placeOrder: {
    ...paths.placeOrder,
    summary: 'Order a product and hold its stock',
    access: 'self',
    body: newOrder,
    idempotent: true,
    status: 201,
    response: insertedId,
    errors: [404, 429],
    conflicts: ['out_of_stock', 'price_changed', 'too_many_unpaid', 'address_unconfirmed'],
  },
  shipOrder: {
    ...paths.shipOrder,
    summary: 'Ship a paid order, or some of its pieces, or correct the tracking of a parcel',
    access: 'admin',
    params: byId,
    body: shipment.describe(
      'Ships pieces of a paid order as one parcel. For a shipped order, or with `shipment`, it corrects a parcel instead, for all orders in the parcel: if any tracking field is sent, all tracking fields are replaced; `shippedAt` does not change.',
    ),
    response: versionedCount,
    conflicts: ['not_paid', 'purchase_changed', 'over_shipment', 'shared_number', 'conflict'],
  },
  markOrderPaid: {
    ...paths.markOrderPaid,
    summary: 'Report an order as paid; the shop verifies the payment with the provider',
    access: 'owner-or-admin',
    params: byId,
    body: z.object({
      order: id.optional().describe("Must match the path's id, otherwise 422."),
      transactionId: text('Transaction id').describe('The payment intent that the browser confirmed.'),
      orderStatus: ignored,
    }),
    response: versionedCount,
    errors: [402, 429],
    conflicts: ['not_paid', 'already_paid', 'payment_mismatch', 'conflict'],
  },
  deleteOrder: {
    ...paths.deleteOrder,
    summary: 'Delete an unpaid order and return its stock',
    access: 'owner-or-admin',
    params: byId,
    response: deletedCount,
    errors: [402, 429],
    conflicts: ['already_paid', 'payment_processing', 'conflict'],
  },
} as const satisfies Record<string, Call>;
