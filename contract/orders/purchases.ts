import { z } from 'zod';
import type { Call } from '../call.ts';
import { product } from '../catalogue/products.ts';
import { postalAddress } from '../delivery/addresses.ts';
import { charge, date, deliveryEstimate } from '../delivery/quotes.ts';
import {
  deletedCount,
  id,
  optionalText,
  price,
  quantity,
  seenVersion,
  singleLineRule,
  text,
  time,
  versionedCount,
} from '../fields.ts';
import { paths } from '../paths.ts';
import { order } from './orders.ts';
import { automaticRefund, refund } from './refunds.ts';
import { notes } from './shipping.ts';

/** A basket, and so a purchase, has at most this many lines. */
export const maxLines = 50;

const lineProblem = z
  .enum(['gone', 'sold_out', 'below_minimum', 'over_stock', 'over_limit', 'below_charge'])
  .describe('Why the line cannot be ordered as it is.');
export type LineProblem = z.output<typeof lineProblem>;

const basketLine = z.object({
  product: product
    .partial()
    .required({ _id: true, name: true })
    .describe('The current product; only `_id` and `name` once it is no longer sold.'),
  quantity: z.int(),
  problem: lineProblem.optional(),
});
export type BasketLine = z.output<typeof basketLine>;

export const basket = z.object({
  lines: z.array(basketLine).describe('In the order in which they were added.'),
  price: z.number().describe('The total of those lines that have no `problem`.'),
  currency: z.string(),
  delivery: deliveryEstimate.optional().describe('What delivery of those lines costs.'),
});
export type Basket = z.output<typeof basket>;

export const newPurchase = z.object({
  lines: z
    .array(z.object({ orderId: id.describe("The product's id."), orderQuantity: quantity('Quantity') }))
    .min(1, 'Your basket is empty')
    .max(maxLines, `An order can have at most ${maxLines} lines`)
    .refine(
      (lines) => new Set(lines.map(({ orderId }) => orderId)).size === lines.length,
      'List each product only once',
    ),
  price: price.describe('The total shown to the customer; rejected if it has changed (409).'),
  phone: optionalText('Phone'),
  address: optionalText('Address'),
});

const purchaseCharge = charge.extend({
  refunded: z
    .number()
    .optional()
    .describe('The part that is refunded, counting pending refunds; absent if none is.'),
  refundPending: z.number().optional().describe('The part of `refunded` that is pending; absent if none is.'),
  owed: z
    .number()
    .optional()
    .describe('The part that the shop owes because a refund has failed; absent if none is.'),
  refunds: z
    .array(refund)
    .optional()
    .describe('The parts of refunds that are for it; absent if there are none.'),
});

export const purchase = z.object({
  _id: z.string(),
  number: z.string().describe('A human-readable reference, such as `K7QD-2M4X`.'),
  orders: z.array(order).describe('In the order of the lines.'),
  price: z.number().describe('What is paid for it: its orders and `charges`, in `currency`.'),
  currency: z.string(),
  charges: z
    .array(purchaseCharge)
    .optional()
    .describe('What is paid besides the orders. Absent if delivery has not been chosen.'),
  rate: z.string().optional().describe('The id of the chosen delivery rate.'),
  shipTo: order.shape.shipTo,
  billTo: order.shape.billTo,
  remark: order.shape.remark,
  pickup: z
    .string()
    .optional()
    .describe('Where and when the customer collects it; absent if it is sent, or if no rate is chosen.'),
  arrives: z
    .object({ from: date, to: date })
    .optional()
    .describe('The dates that were promised when it was paid; absent without a promise.'),
  paid: z.boolean(),
  refunded: z
    .number()
    .describe(
      'The total of all refunds of the purchase, including refunds made at the provider that are not assigned to an order.',
    ),
  createdAt: time,
  holdUntil: time.optional().describe('When the stock hold ends; only while the purchase is unpaid.'),
  paidAt: time.optional(),
  latePayment: z
    .string()
    .optional()
    .describe(
      'The transaction id of a payment that succeeded in time, but was found after the purchase had expired and its stock was gone: an admin accepts or refunds it.',
    ),
  version: z.int().describe("Counts the purchase's changes; its orders have the same `version`."),
  unassignedRefunds: z
    .array(refund)
    .optional()
    .describe(
      'Refunds made at the provider that are not assigned to an order; only for admins, and absent if there are none.',
    ),
  automaticRefunds: z
    .array(automaticRefund)
    .optional()
    .describe(
      'Refunds of payments that did not count towards the purchase, such as a second payment; oldest first. No total includes them. Absent if there are none.',
    ),
  notes: notes.optional(),
});
export type Purchase = z.output<typeof purchase>;

/** Absent fields keep their values. */
export const deliveryChange = z.object({
  version: seenVersion,
  name: text('Name', 100)
    .refine(...singleLineRule('Name'))
    .optional(),
  address: optionalText('Address').unwrap().optional(),
  phone: optionalText('Phone')
    .unwrap()
    .refine(...singleLineRule('Phone'))
    .optional(),
  shipTo: postalAddress
    .optional()
    .describe(
      'The whole address, instead of the other fields. Required to change the address of a purchase that has a `shipTo`. Rejected if the chosen rate does not deliver there (409).',
    ),
});

export const purchaseCalls = {
  getBasket: {
    ...paths.getBasket,
    summary: 'Get your basket, with current prices and stock',
    access: 'signed-in',
    response: basket,
  },
  addToBasket: {
    ...paths.addToBasket,
    summary: 'Add to the quantity of a product in your basket',
    access: 'signed-in',
    params: z.object({ id }),
    body: z.object({ quantity: quantity('Quantity') }),
    idempotent: true,
    response: basket,
    errors: [429],
    conflicts: ['out_of_stock', 'basket_full'],
  },
  setBasketLine: {
    ...paths.setBasketLine,
    summary: 'Set the quantity of a product in your basket',
    access: 'signed-in',
    params: z.object({ id }),
    body: z.object({ quantity: quantity('Quantity') }),
    response: basket,
    conflicts: ['out_of_stock', 'basket_full'],
  },
  removeBasketLine: {
    ...paths.removeBasketLine,
    summary: 'Remove a product from your basket',
    access: 'signed-in',
    params: z.object({ id }),
    response: deletedCount,
  },
  placePurchase: {
    ...paths.placePurchase,
    summary: 'Order several products at once, all or none',
    access: 'signed-in',
    body: newPurchase,
    idempotent: true,
    status: 201,
    response: z.object({ insertedId: z.string(), orders: z.array(z.string()) }),
    errors: [429],
    conflicts: ['out_of_stock', 'price_changed', 'too_many_unpaid', 'address_unconfirmed'],
  },
  getPurchase: {
    ...paths.getPurchase,
    summary: 'Get a purchase by its id or number',
    access: 'owner-or-admin',
    params: z.object({ id }),
    response: purchase,
  },
  changeDelivery: {
    ...paths.changeDelivery,
    summary:
      'Correct the name, address and phone of a purchase; its customer may do so until a piece is shipped',
    access: 'owner-or-admin',
    params: z.object({ id }),
    body: deliveryChange,
    response: versionedCount,
    errors: [429],
    conflicts: ['purchase_changed', 'order_expired', 'already_shipped', 'checkout_incomplete'],
  },
  orderAgain: {
    ...paths.orderAgain,
    summary: 'Put the products of a purchase into your basket again, at current prices',
    access: 'owner',
    params: z.object({ id }),
    response: basket.describe(
      'The whole basket. It has at least the ordered quantity of each product of the purchase. A line that cannot be ordered has a `problem`.',
    ),
    errors: [429],
    conflicts: ['basket_full'],
  },
} as const satisfies Record<string, Call>;
