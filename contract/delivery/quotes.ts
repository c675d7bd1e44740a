import { z } from 'zod';
import { optionalText, price, seenVersion } from '../fields.ts';
import { country, postalAddress } from './addresses.ts';

/** Why a purchase cannot be sent as it is. */
export const quoteProblem = z
  .enum(['no_rate', 'not_to', 'address', 'postcode', 'rate_gone', 'too_heavy', 'other_currency'])
  .describe(
    [
      '`no_rate`: the shop does not deliver there.',
      '`not_to`: a product is not sent to this country (`notTo`).',
      '`address`: the country, or a part of the address, is missing.',
      '`postcode`: the rates depend on the postcode, which is missing.',
      '`rate_gone`: the chosen rate is not offered for this purchase, or no longer.',
      '`too_heavy`: no rate is for a parcel of this weight.',
      '`other_currency`: the rates are in another currency than the purchase.',
    ].join(' '),
  );
export type QuoteProblem = z.output<typeof quoteProblem>;

/** An amount that is paid for a purchase besides its orders. */
export const charge = z.object({ kind: z.literal('delivery'), label: z.string(), amount: z.number() });
export type Charge = z.output<typeof charge>;

export const date = z.iso.date();

const offeredRate = z.object({
  _id: z.string(),
  name: z.string(),
  price: z.number(),
  from: date
    .optional()
    .describe('When the parcel arrives at the earliest, if it is paid now; absent without a promise.'),
  to: date.optional().describe('When it arrives at the latest.'),
  pickup: z.string().optional().describe('Where and when the customer collects the parcel.'),
});
export type OfferedRate = z.output<typeof offeredRate>;

export const quote = z.object({
  goods: z.number().describe('The price of the orders.'),
  charges: z.array(charge).describe('Empty as long as no rate is chosen.'),
  price: z.number().describe('What is paid: the goods and the charges.'),
  currency: z.string(),
  rates: z.array(offeredRate).describe('The rates for this destination, the cheapest first.'),
  problems: z.array(quoteProblem).describe('Empty if the purchase can be sent as it is.'),
  minimum: z
    .number()
    .optional()
    .describe('Only with `no_rate`: the price of the goods from which the shop delivers there.'),
  notTo: z
    .array(z.string())
    .optional()
    .describe('The names of the products that are not sent to this country.'),
});
export type Quote = z.output<typeof quote>;

export const deliveryEstimate = z
  .object({
    country: z
      .string()
      .describe("That of the user's newest address; otherwise the country that the shop sends from."),
    price: z.number().optional().describe('The cheapest rate; absent if no rate sends it to this country.'),
    from: z
      .literal(true)
      .optional()
      .describe('The price is for most of the country: the rates for some postcodes differ.'),
    pickup: z.literal(true).optional().describe('The customer may collect the order instead.'),
  })
  .describe('What delivery costs. Absent as long as the shop has no delivery rates.');
export type DeliveryEstimate = z.output<typeof deliveryEstimate>;

export const destination = z.object({
  country: z
    .union([z.literal(''), country])
    .default('')
    .describe('ISO 3166-1 alpha-2.'),
  postcode: optionalText('Postcode', 20),
  rate: optionalText('Rate', 60).describe('The id of the chosen rate.'),
});

export const checkout = z.object({
  version: seenVersion,
  shipTo: postalAddress,
  billTo: postalAddress.optional().describe('The address on the invoice, if it is another one.'),
  rate: optionalText('Rate', 60).describe('The id of a rate of the quote.'),
  remark: optionalText('Remark', 500),
  price: price.describe(
    'The total that the customer saw; another one is rejected (409, with the new quote in `data`).',
  ),
});
export type Checkout = z.output<typeof checkout>;
