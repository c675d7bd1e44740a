import { z } from 'zod';
import type { Call } from './call.ts';
import {
  deletedCount,
  email,
  id,
  ignored,
  insertedId,
  modifiedCount,
  optionalText,
  page,
  price,
  quantity,
  text,
  time,
} from './fields.ts';
import { paths } from './paths.ts';

export const orderStatus = z
  .enum(['', 'paid', 'sipping', 'expired'])
  .describe("`''`, then `paid`, then `sipping` (shipped); `expired` when an unpaid order's hold has ended.");
export type OrderStatus = z.output<typeof orderStatus>;

export const order = z.object({
  _id: z.string(),
  orderId: z.string().describe("The product's id."),
  product: z.string().describe("The product's name when it was ordered."),
  orderQuantity: z.int(),
  price: z.number().describe('The total, in `currency`.'),
  currency: z.string().describe('ISO 4217 code that the order was placed in.'),
  user: z.string().describe("The customer's e-mail."),
  userName: z.string(),
  phone: z.string(),
  address: z.string(),
  orderStatus,
  paid: z.boolean(),
  transactionId: z.string().optional().describe("The payment's id at the provider, once it is paid."),
  createdAt: time,
  holdUntil: time.optional().describe('Until when its stock is held, while it is unpaid.'),
});
export type Order = z.output<typeof order>;

export const newOrder = z.object({
  orderId: id.describe("The product's id."),
  orderQuantity: quantity('Quantity').describe(
    "How many pieces: from the product's `o_quantity` to its `a_quantity`.",
  ),
  price: price.describe('The total that the customer saw; a differing one is refused (409).'),
  user: email.describe("The customer's own e-mail; somebody else's is refused (403)."),
  phone: optionalText('Phone'),
  address: optionalText('Address'),
  product: ignored,
  userName: ignored,
  orderStatus: ignored,
});

const byId = z.object({ id });

export const listAllOrders = {
  ...paths.listAllOrders,
  summary: 'All orders, the newest first',
  who: 'admin',
  query: page,
  answer: z.array(order),
  errors: [401, 403, 422],
} as const satisfies Call;

export const listOwnOrders = {
  ...paths.listOwnOrders,
  summary: "One person's orders, the newest first",
  who: 'self-or-admin',
  query: page.extend({ user: email.describe('Whose orders.') }),
  answer: z.array(order),
  errors: [401, 403, 422],
} as const satisfies Call;

export const getOrder = {
  ...paths.getOrder,
  summary: 'One order',
  who: 'owner-or-admin',
  params: byId,
  answer: order,
  errors: [401, 404],
} as const satisfies Call;

export const placeOrder = {
  ...paths.placeOrder,
  summary: 'Order a product; its stock is held from now on',
  who: 'self',
  body: newOrder,
  idempotent: true,
  status: 201,
  answer: insertedId,
  errors: [400, 401, 403, 404, 409, 413, 415, 422],
  conflicts: ['out_of_stock', 'price_changed', 'too_many_unpaid'],
} as const satisfies Call;

export const shipOrder = {
  ...paths.shipOrder,
  summary: 'Mark a paid order as shipped',
  who: 'admin',
  params: byId,
  body: z.object({ orderStatus: z.literal('sipping', 'Order status must be "sipping"') }),
  answer: modifiedCount,
  errors: [400, 401, 403, 404, 409, 413, 415, 422],
  conflicts: ['not_paid'],
} as const satisfies Call;

export const markOrderPaid = {
  ...paths.markOrderPaid,
  summary: 'Tell that an order was paid; the provider is asked whether it is so',
  who: 'owner-or-admin',
  params: byId,
  body: z.object({
    order: id.optional().describe("The path's id; another is refused (422)."),
    transactionId: text('Transaction id').describe('The payment intent that the browser has confirmed.'),
    orderStatus: ignored,
  }),
  answer: modifiedCount,
  errors: [400, 401, 402, 404, 409, 413, 415, 422],
  conflicts: ['not_paid', 'already_paid', 'payment_mismatch', 'conflict'],
} as const satisfies Call;

export const deleteOrder = {
  ...paths.deleteOrder,
  summary: 'Delete an unpaid order; its stock is given back',
  who: 'owner-or-admin',
  params: byId,
  answer: deletedCount,
  errors: [401, 402, 404, 409],
  conflicts: ['already_paid', 'payment_processing', 'conflict'],
} as const satisfies Call;
