import { z } from 'zod';
import type { Call } from '../call.ts';
import { email, optionalText, page } from '../fields.ts';
import { paths } from '../paths.ts';
import { cleanText } from '../text.ts';
import { order } from './orders.ts';
import { purchase } from './purchases.ts';
import { groupSeparator } from './scanned-codes.ts';

export const orderFilter = z.enum(
  ['unpaid', 'paid', 'shipped', 'expired', 'refunded', 'disputed'],
  'Status must be unpaid, paid, shipped, expired, refunded or disputed',
);
export type OrderFilter = z.output<typeof orderFilter>;
export const orderSort = z.enum(
  ['-created', 'created', '-price', 'price'],
  'Sort must be -created, created, -price or price',
);
export type OrderSort = z.output<typeof orderSort>;
export const orderTime = z.enum(
  ['placed', 'paid', 'refunded', 'charged_back'],
  '`by` must be one of: placed, paid, refunded, charged_back',
);
export type OrderTime = z.output<typeof orderTime>;

const day = (label: string) => z.iso.date(`${label} must be a date such as 2026-03-31`).optional();

/** The filters and sort order of an admin's list of orders. */
const orderList = page
  .extend({
    q: optionalText('Search', 100, (value) => cleanText(value.replaceAll(groupSeparator, ''))).describe(
      "Only orders that match this text in one of three ways. (1) The order number (in upper or lower case, with or without `#`, a dash or a space), the transaction id, the customer's email address or, if the text has at least four characters, the tracking number starts with it; a scanned barcode counts as the number in it. (2) Each word of the text starts a word of the customer's name, of the product's name (the current one, or a deleted product's last one) or, for paid orders, of the delivery name and address. (3) For paid orders, the phone number ends with the text's digits, at least five. In names, accents and case do not matter; apostrophes and hyphens may be left out.",
    ),
    status: orderFilter
      .optional()
      .describe(
        '`paid` lists the orders to ship, without those whose money or pieces are all refunded. `refunded` lists orders refunded in part or in full, shipped or not. Pending refunds count as refunds.',
      ),
    from: day('From').describe(
      "Only orders placed on this day or later. Days are in the shop's time zone (`TIME_ZONE`).",
    ),
    to: day('To').describe('Only orders placed on this day or earlier.'),
    by: orderTime
      .optional()
      .describe(
        'The event that happened from `from` to `to`: `placed` (the default); `paid`; `refunded`, when a refund that has not failed was requested; or `charged_back`, when the shop learned that a dispute was lost. Without `from` and `to`, it has no effect.',
      ),
    sort: orderSort.optional().describe('`-created` (newest first) by default. `price` sorts by the total.'),
    format: z
      .enum(['csv'], 'Format must be csv')
      .optional()
      .describe(
        '`csv` streams all matching orders as a file for spreadsheets; `limit` and `after` do not apply.',
      ),
  })
  .refine(({ from = '', to = '9999-12-31' }) => from <= to, {
    path: ['to'],
    message: 'To must not be before From',
  });
export type OrderList = z.output<typeof orderList>;

const orderSums = z.object({
  of: z
    .enum(['orders', 'refunds', 'disputes'])
    .describe(
      'What is counted and summed. `refunds` or `disputes` if the list has no search or other filters, and is by days of refunds or disputes (at most 366) or of all disputed orders. The figures then equal the overview’s.',
    ),
  isComplete: z.boolean().describe('False if too many orders match to sum them; `sums` is then empty.'),
  sums: z
    .array(
      z.object({
        currency: z.string(),
        count: z.int().describe('For `orders`, the number of purchases, however many orders of them match.'),
        tools: z
          .int()
          .optional()
          .describe(
            'The number of orders in the list, each of one tool; `count` is the number of purchases. Absent for orders by day of payment.',
          ),
        amount: z.number().describe('For `orders`, their total before refunds.'),
      }),
    )
    .describe('By currency.'),
});
export type OrderSums = z.output<typeof orderSums>;

const ownOrder = order.extend({
  charges: purchase.shape.charges.describe(
    'What is paid for its purchase besides the orders, without `refunds`; absent if delivery has not been chosen.',
  ),
  pickup: purchase.shape.pickup,
  arrives: purchase.shape.arrives,
});
export type OwnOrder = z.output<typeof ownOrder>;

export const orderListCalls = {
  listAllOrders: {
    ...paths.listAllOrders,
    summary: 'List, search, filter and sort all orders, or export them as CSV',
    access: 'admin',
    query: orderList,
    response: z.array(order),
  },
  sumOrders: {
    ...paths.sumOrders,
    summary: 'Count and sum the orders of a list',
    access: 'admin',
    query: orderList,
    conditional: true,
    response: orderSums,
  },
  listOwnOrders: {
    ...paths.listOwnOrders,
    summary: "List a user's orders, newest first",
    access: 'self-or-admin',
    query: page.extend({ user: email.describe("The user's email address.") }),
    response: z.array(ownOrder),
  },
} as const satisfies Record<string, Call>;
