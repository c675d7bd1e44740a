import { z } from 'zod';
import type { Call } from '../call.ts';
import { country } from '../delivery/addresses.ts';
import { deliveryEstimate } from '../delivery/quotes.ts';
import { email, id, image, insertedId, quantity, time } from '../fields.ts';
import { paths } from '../paths.ts';
import { newProductFields } from './product-fields.ts';
import { newFields, outputFields } from './product-schemas.ts';

const { facts, ...listedFields } = outputFields;

/** A product in a list. */
export const product = z.object({
  _id: z.string(),
  ...listedFields,
  currency: z.string().describe('ISO 4217 code of the currency that is charged.'),
  img: z.string().describe('URL of the main image.'),
  images: z.array(z.string()).describe('URLs of its images; the first is `img`.'),
  a_quantity: z.int().describe('Quantity in stock.'),
  ordered: z
    .int()
    .optional()
    .describe(
      'The pieces in open orders: unpaid ones, and paid ones that have not shipped. They are still on the shelf, in addition to `a_quantity`. Only for admins, and not in lists.',
    ),
  rating: z
    .object({
      average: z.number().describe('From 1 to 5, with at most two decimals.'),
      count: z.int().describe('The number of reviews.'),
    })
    .optional()
    .describe('The rating in visible reviews; absent if there are none.'),
  delivery: deliveryEstimate.optional().describe('What delivery of the smallest order costs.'),
  email: z
    .string()
    .optional()
    .describe(
      'The admin who added the product. Private: only admins see it, and the user who added the product.',
    ),
  archived: z.boolean().describe('No longer sold: not in any public list, and cannot be ordered.'),
  version: z.int().describe('Counts its edits. Send it back with an edit.'),
  createdAt: time,
});
export type Product = z.output<typeof product>;

/** A product as its own page shows it. */
const shownProduct = product.extend({
  facts,
  ratings: z
    .array(z.int())
    .length(5)
    .optional()
    .describe('How many visible reviews give it 1, 2, 3, 4 and 5 stars; absent if there are none.'),
  backInStock: z
    .literal(true)
    .optional()
    .describe('The user is waiting for this product, and gets a message when it is back in stock.'),
});
export type ShownProduct = z.output<typeof shownProduct>;

const newProductShape = {
  ...newFields,
  email: email.describe("Sent by the form; the shop stores the session's email address instead."),
  a_quantity: quantity('Available quantity', 0).describe('Quantity in stock.'),
  img: image,
};

/** The fields of the Add Product form. Errors are reported in this order, which is also the form's. */
export const newProduct = z.object(
  Object.fromEntries(
    newProductFields.map((name) => [name, newProductShape[name]] as const),
  ) as typeof newProductShape,
);
export type NewProduct = z.output<typeof newProduct>;

export const productCalls = {
  getProduct: {
    ...paths.getProduct,
    summary: 'Get a product',
    access: 'everyone',
    params: z.object({ id }),
    query: z.object({
      country: country.optional().describe('The country for `delivery`.'),
    }),
    response: shownProduct,
  },
  addProduct: {
    ...paths.addProduct,
    summary: 'Add a product',
    access: 'admin',
    body: newProduct,
    idempotent: true,
    status: 201,
    response: insertedId,
  },
} as const satisfies Record<string, Call>;
