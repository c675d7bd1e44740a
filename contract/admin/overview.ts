import { z } from 'zod';
import type { Call } from '../call.ts';
import { time } from '../fields.ts';
import { paths } from '../paths.ts';
import { trouble, untried } from './health.ts';
import { maxCount } from './health-format.ts';

export const maxOverviewDays = 366;

const day = (label: string) =>
  z.iso
    .date(`${label} must be a date such as 2026-11-22`)
    .refine((date) => date >= '1970-01-01', `${label} must be in 1970 or later`)
    .optional();
const count = (description: string) =>
  z.int().describe(`${description}; ${maxCount} means that many or more.`);

const sums = z.object({
  revenue: z.number().describe('The total of the orders paid, before refunds.'),
  orders: z
    .int()
    .describe('The number of paid purchases. A purchase counts once, however many orders it has.'),
  refunded: z.number().describe('The total of the refunds, without failed and canceled ones.'),
  refunds: z.int(),
});
export type Sums = z.output<typeof sums>;

const disputedMoney = z.object({ currency: z.string(), amount: z.number(), disputes: z.int() });
export type DisputedMoney = z.output<typeof disputedMoney>;

const overview = z.object({
  readAt: time,
  from: z.string().describe("The first day. All days are in the shop's time zone (`TIME_ZONE`)."),
  to: z.string().describe('The last day.'),
  currency: z.string().describe("ISO 4217 code of the shop's currency, which all amounts here are in."),
  days: z.array(sums.extend({ date: z.string() })).describe('Each day from `from` to `to`.'),
  total: sums,
  before: sums.extend({ from: z.string(), to: z.string() }).describe('The equally long period before.'),
  otherCurrencies: z
    .array(sums.extend({ currency: z.string() }))
    .describe(
      'Sales and refunds from `from` to `to` in currencies that the shop used before. `total`, `days` and `before` do not include them.',
    ),
  disputed: z
    .array(disputedMoney)
    .describe('The open disputes, by currency, however old they are. Nothing is deducted for them.'),
  chargedBack: z
    .array(disputedMoney)
    .describe(
      'The disputes lost from `from` to `to`, by currency: what banks have taken back. They are not refunds, and nothing is deducted for them.',
    ),
  bestSellers: z
    .array(
      z.object({
        _id: z.string().describe("The product's id."),
        name: z.string(),
        pieces: z.int(),
        revenue: z.number(),
        deleted: z.boolean(),
      }),
    )
    .nullable()
    .describe(
      'The ten products with the highest revenue, before refunds. Null if the period has more than 1,000 orders, unless it is the last 30 days, a day, or a calendar week (from Monday), month or year.',
    ),
  toShip: z.object({
    parcels: z
      .int()
      .describe(
        'The number of purchases with orders to ship (`tools`): each has one customer and address, and usually one parcel.',
      ),
    tools: count('Paid orders that are neither shipped nor refunded in full, in money or in pieces'),
    since: time.nullable().describe('When the order that was placed first was paid.'),
  }),
  late: z
    .object({
      purchases: count('Purchases to ship that can no longer arrive as promised'),
      first: z
        .array(
          z.object({
            number: z.string(),
            sendBy: z.iso.date().describe('The last day on which sending it would have kept the promise.'),
            promised: z.iso.date().describe('The last day of the promise.'),
          }),
        )
        .describe('Up to ten of them, the latest first.'),
    })
    .optional()
    .describe('Absent if there are none.'),
  holds: z.object({
    orders: count('Unpaid orders that hold stock'),
    pieces: z.int(),
    nextEndsAt: time.nullable(),
  }),
  lowStock: z.object({
    products: count('Products with less stock than their threshold or their minimum order quantity'),
    first: z
      .array(
        z.object({
          _id: z.string(),
          name: z.string(),
          o_quantity: z.int(),
          a_quantity: z.int(),
          lowStock: z.int().optional(),
        }),
      )
      .describe('Up to ten of them, lowest stock first.'),
  }),
  reportedReviews: count('Reviews that readers have reported'),
  pendingReviews: count('Reviews waiting for approval'),
  troubles: z.array(trouble).describe('The problems on the Health page, most urgent first.'),
  untried,
  hasOrders: z.boolean().describe('Whether any order was ever placed.'),
});
export type Overview = z.output<typeof overview>;

/** The defaults depend on the current day, so the server checks the length (`maxOverviewDays`). */
const period = z.object({
  from: day('From').describe('The first day, by default 29 days before `to`.'),
  to: day('To').describe('The last day, by default today.'),
});

export const overviewCalls = {
  getOverview: {
    ...paths.getOverview,
    summary: 'Get revenue, orders and refunds per day, best sellers, and what needs attention',
    access: 'admin',
    query: period,
    conditional: true,
    response: overview,
  },
} as const satisfies Record<string, Call>;
