import { z } from 'zod';
import type { Call } from './call.ts';
import { deletedCount, email, id, image, insertedId, page, price, quantity, text, time } from './fields.ts';
import { paths } from './paths.ts';

export const product = z.object({
  _id: z.string(),
  name: z.string(),
  price: z.number().describe('Unit price.'),
  currency: z.string().describe('ISO 4217 code of the currency that is charged.'),
  img: z.string().describe('URL of the image.'),
  description: z.string(),
  o_quantity: z.int().describe('Minimum order quantity.'),
  a_quantity: z.int().describe('Quantity in stock.'),
  email: z
    .string()
    .optional()
    .describe('The admin who added it. Private: only that admin and other admins see it.'),
  createdAt: time,
});
export type Product = z.output<typeof product>;

/** The fields of the Add Product form. */
export const newProduct = z.object({
  name: text('Name', 100),
  email: email.describe("Sent by the form; the shop stores the session's email address instead."),
  price: price.describe("Unit price; times `o_quantity`, at least the payment provider's minimum charge."),
  o_quantity: quantity('Order quantity').describe('Minimum order quantity.'),
  a_quantity: quantity('Available quantity', 0).describe('Quantity in stock.'),
  description: text('Description', 2000),
  img: image,
});
export type NewProduct = z.output<typeof newProduct>;

const byId = z.object({ id });

export const productCalls = {
  listProducts: {
    ...paths.listProducts,
    summary: 'List products, oldest first',
    access: 'everyone',
    query: page,
    response: z.array(product),
    errors: [422],
  },
  getProduct: {
    ...paths.getProduct,
    summary: 'Get a product',
    access: 'everyone',
    params: byId,
    response: product,
    errors: [404],
  },
  addProduct: {
    ...paths.addProduct,
    summary: 'Add a product',
    access: 'admin',
    body: newProduct,
    idempotent: true,
    status: 201,
    response: insertedId,
    errors: [400, 401, 403, 413, 415, 422],
  },
  deleteProduct: {
    ...paths.deleteProduct,
    summary: 'Delete a product; its orders are unaffected',
    access: 'admin',
    params: byId,
    response: deletedCount,
    errors: [401, 403, 404],
  },
} as const satisfies Record<string, Call>;
