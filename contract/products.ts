import { z } from 'zod';
import type { Call } from './call.ts';
import { deletedCount, email, id, image, insertedId, page, price, quantity, text, time } from './fields.ts';
import { paths } from './paths.ts';

export const product = z.object({
  _id: z.string(),
  name: z.string(),
  price: z.number().describe('Of one piece.'),
  currency: z.string().describe('ISO 4217 code that `price` is charged in.'),
  img: z.string().describe('Where its picture is.'),
  description: z.string(),
  o_quantity: z.int().describe('The fewest that one order takes.'),
  a_quantity: z.int().describe('How many are there.'),
  email: z
    .string()
    .optional()
    .describe('Of the person who added it; private: only an admin and that person see it.'),
  createdAt: time,
});
export type Product = z.output<typeof product>;

/** What an admin fills in. */
export const newProduct = z.object({
  name: text('Name', 100),
  email: email.describe('A field of the form; the adder is who is signed in.'),
  price: price.describe('Of one piece; times `o_quantity` at least what the payment provider takes.'),
  o_quantity: quantity('Order quantity').describe('The fewest that one order takes.'),
  a_quantity: quantity('Available quantity', 0).describe('How many are there.'),
  description: text('Description', 2000),
  img: image,
});
export type NewProduct = z.output<typeof newProduct>;

const byId = z.object({ id });

export const listProducts = {
  ...paths.listProducts,
  summary: 'All products, in the order in which they were added',
  who: 'everybody',
  query: page,
  answer: z.array(product),
  errors: [422],
} as const satisfies Call;

export const getProduct = {
  ...paths.getProduct,
  summary: 'One product',
  who: 'everybody',
  params: byId,
  answer: product,
  errors: [404],
} as const satisfies Call;

export const addProduct = {
  ...paths.addProduct,
  summary: 'Add a product',
  who: 'admin',
  body: newProduct,
  idempotent: true,
  status: 201,
  answer: insertedId,
  errors: [400, 401, 403, 413, 415, 422],
} as const satisfies Call;

export const deleteProduct = {
  ...paths.deleteProduct,
  summary: 'Delete a product; orders of it stay as they were',
  who: 'admin',
  params: byId,
  answer: deletedCount,
  errors: [401, 403, 404],
} as const satisfies Call;
