import { z } from 'zod';
import { seller } from '../admin/shop-details.ts';
import type { Call } from '../call.ts';
import { charge } from '../delivery/quotes.ts';
import { id, time } from '../fields.ts';
import { paths } from '../paths.ts';
import { maxPrinted } from './print-limit.ts';
import { refund } from './refunds.ts';
import { shippingFields } from './shipping.ts';

const printedLine = z.object({
  _id: z.string().describe("The order's id."),
  product: z.string(),
  quantity: z.int(),
  unitPrice: z.number(),
  price: z.number().describe('The amount charged.'),
  refunded: z.number(),
  removedQuantity: z
    .int()
    .optional()
    .describe(
      'The number of pieces that are not shipped because they were refunded first; absent if none are.',
    ),
  hasUnknownRefund: z
    .boolean()
    .optional()
    .describe('Whether a refund does not say how many pieces it is for, such as one made at the provider.'),
  isChargedBack: z
    .boolean()
    .optional()
    .describe('Whether the bank has taken back money of its purchase because a dispute was lost.'),
  isDisputed: z.boolean().optional().describe('Whether the payment has an undecided dispute.'),
  toPack: z.int().describe('The number of pieces that are left to ship.'),
  shippedQuantity: shippingFields.shippedQuantity,
  shippedAt: shippingFields.shippedAt,
  packing: z
    .object({
      shelf: z.string().optional(),
      weight: z.int().optional().describe('Of a piece, in grams.'),
      hsCode: z.string().optional(),
      origin: z.string().optional().describe('ISO 3166-1 alpha-2.'),
    })
    .optional()
    .describe('About the product as it is now; only for admins of a shop with delivery rates.'),
});
export type PrintedLine = z.output<typeof printedLine>;

const printedPurchase = z.object({
  _id: z.string(),
  number: z.string().describe('Also the number of the invoice.'),
  barcode: z
    .array(z.int())
    .describe('The number as Code 128: the widths of its bars and spaces in modules, starting with a bar.'),
  user: z.string().describe("The customer's email address."),
  userName: z.string(),
  address: z.string(),
  createdAt: time,
  paidAt: time.optional(),
  billTo: z.string().optional().describe('The address on the invoice, if it is another one; several lines.'),
  delivery: z
    .string()
    .optional()
    .describe('How and to which country it is sent, or that it is collected; absent if no rate was chosen.'),
  pickup: z
    .string()
    .optional()
    .describe('Where and when the customer collects it; absent if it is sent, or if no rate was chosen.'),
  addressChangedAt: time
    .optional()
    .describe('When its address was last changed after the payment; absent without a chosen delivery.'),
  remark: z.string().optional().describe("The customer's remark."),
  customs: z
    .object({
      form: z.enum(['CN22', 'CN23']),
      value: z.number().describe('Of the pieces that are left to ship, in `currency`.'),
    })
    .optional()
    .describe(
      'The customs declaration that the parcel needs; absent if it crosses no customs border, or nothing is left to ship. Only for admins.',
    ),
  lines: z.array(printedLine),
  charges: z.array(charge).optional().describe('What was paid besides the lines; absent if nothing was.'),
  price: z.number().describe('The total that was charged, in `currency`.'),
  currency: z.string(),
  refunds: z.array(
    refund
      .pick({ _id: true, amount: true, status: true, quantity: true, createdAt: true })
      .extend({ product: z.string().describe("The product's name when it was ordered.") }),
  ),
  refunded: z.number().describe('The total of its refunds.'),
});
export type PrintedPurchase = z.output<typeof printedPurchase>;

const printout = z.object({
  shop: seller,
  purchases: z.array(printedPurchase).describe('In the order of the request, each once.'),
  skipped: z
    .array(z.object({ reference: z.string(), reason: z.enum(['unpaid', 'not_found']) }))
    .describe('The purchases that cannot be printed, and why.'),
});
export type Printout = z.output<typeof printout>;

export const printingCalls = {
  getPrintout: {
    ...paths.getPrintout,
    summary: 'Get the data for packing slips and invoices of paid purchases',
    access: 'owner-or-admin',
    query: z.object({
      orders: z
        .string('Choose the orders to print')
        .transform((list) => list.split(',').flatMap((reference) => reference.trim() || []))
        .pipe(
          z
            .array(id)
            .min(1, 'Choose the orders to print')
            .max(maxPrinted, `At most ${maxPrinted} orders can be printed at once`),
        )
        .describe(
          `The ids or numbers of up to ${maxPrinted} purchases, or ids of their orders, comma-separated.`,
        ),
    }),
    response: printout,
  },
} as const satisfies Record<string, Call>;
