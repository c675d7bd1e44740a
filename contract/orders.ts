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

/** `''` → `paid` → `sipping` (the contract's spelling); `expired` when an unpaid order's hold has ended. */
export const orderStatus = z.enum(['', 'paid', 'sipping', 'expired']);
export type OrderStatus = z.output<typeof orderStatus>;

export const order = z.object({
  _id: z.string(),
  /** The product's id. */
  orderId: z.string(),
  /** The product's name when it was ordered. */
  product: z.string(),
  orderQuantity: z.int(),
  /** The total, in `currency`. */
  price: z.number(),
  /** ISO 4217 code that the order was placed in. */
  currency: z.string(),
  /** The customer's e-mail. */
  user: z.string(),
  userName: z.string(),
  phone: z.string(),
  address: z.string(),
  orderStatus,
  paid: z.boolean(),
  /** The payment's id at the provider, once it is paid. */
  transactionId: z.string().optional(),
  createdAt: time,
  /** Until when its stock is held, while it is unpaid. */
  holdUntil: time.optional(),
});
export type Order = z.output<typeof order>;

export const newOrder = z.object({
  orderId: id,
  orderQuantity: quantity('Quantity'),
  /** The total that the customer saw; a differing one is refused (409). */
  price,
  /** The customer's own e-mail; somebody else's is refused (403). */
  user: email,
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
  query: page.extend({ user: email }),
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
} as const satisfies Call;

export const shipOrder = {
  ...paths.shipOrder,
  summary: 'Mark a paid order as shipped',
  who: 'admin',
  params: byId,
  body: z.object({ orderStatus: z.literal('sipping', 'Order status must be "sipping"') }),
  answer: modifiedCount,
  errors: [400, 401, 403, 404, 409, 413, 415, 422],
} as const satisfies Call;

export const markOrderPaid = {
  ...paths.markOrderPaid,
  summary: 'Tell that an order was paid; the provider is asked whether it is so',
  who: 'owner-or-admin',
  params: byId,
  body: z.object({ order: id.optional(), transactionId: text('Transaction id'), orderStatus: ignored }),
  answer: modifiedCount,
  errors: [400, 401, 402, 404, 409, 413, 415, 422],
} as const satisfies Call;

export const deleteOrder = {
  ...paths.deleteOrder,
  summary: 'Delete an unpaid order; its stock is given back',
  who: 'owner-or-admin',
  params: byId,
  answer: deletedCount,
  errors: [401, 402, 404, 409],
} as const satisfies Call;
