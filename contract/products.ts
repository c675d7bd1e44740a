import { z } from 'zod';
import type { Call } from './call.ts';
import { dashboardPaths } from './dashboard-paths.ts';
import {
  deletedCount,
  email,
  id,
  image,
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

export const product = z.object({
  _id: z.string(),
  name: z.string(),
  price: z.number().describe('Unit price.'),
  currency: z.string().describe('ISO 4217 code of the currency that is charged.'),
  img: z.string().describe('URL of the main image.'),
  images: z.array(z.string()).describe('URLs of its images; the first is `img`.'),
  description: z.string(),
  o_quantity: z.int().describe('Minimum order quantity.'),
  a_quantity: z.int().describe('Quantity in stock.'),
  ordered: z
    .int()
    .optional()
    .describe(
      'The pieces in open orders: unpaid ones, and paid ones that have not shipped. They are still on the shelf, in addition to `a_quantity`. Only for admins, and not in lists.',
    ),
  email: z
    .string()
    .optional()
    .describe('The admin who added it. Private: only that admin and other admins see it.'),
  category: z.string().optional(),
  lowStock: z.int().optional().describe('Stock below this is low. Only admins see it.'),
  archived: z.boolean().describe('No longer sold: not in any public list, and cannot be ordered.'),
  version: z.int().describe('Counts its edits. Send it back with an edit.'),
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
  category: optionalText('Category', 60).unwrap().optional(),
  lowStock: quantity('Low-stock threshold').optional().describe('Stock below this is low.'),
  description: text('Description', 2000),
  img: image,
});
export type NewProduct = z.output<typeof newProduct>;

/** Images per product. */
export const maxImages = 8;

/** The fields of an edit. Absent fields keep their values. */
export const productEdit = z.object({
  version: z
    .int({
      error: ({ input }) => (input === undefined ? 'Version is Required' : 'Version must be a whole number'),
    })
    .describe('The version that was edited. If it is no longer current, nothing changes (409).'),
  name: text('Name', 100).optional(),
  price: price.optional(),
  o_quantity: quantity('Order quantity').optional().describe('Minimum order quantity.'),
  category: optionalText('Category', 60)
    .unwrap()
    .nullable()
    .optional()
    .describe('Null or empty text removes it.'),
  lowStock: quantity('Low-stock threshold').nullable().optional().describe('Null removes it.'),
  description: text('Description', 2000).optional(),
  images: z
    .array(image, 'Images must be a list')
    .min(1, 'Image is Required')
    .max(maxImages, `A product has at most ${maxImages} images`)
    .refine((urls) => new Set(urls).size === urls.length, 'Two images are the same: remove one')
    .optional()
    .describe('URLs of all its images, each different; the first becomes `img`.'),
  archived: z
    .boolean('Archived must be true or false')
    .optional()
    .describe('True takes it off sale, false puts it back.'),
});
export type ProductEdit = z.output<typeof productEdit>;

const byId = z.object({ id });

/** `added` sorts the oldest first, `stock` and `price` the lowest first. */
export const productSorts = [
  ...(['added', '-added', 'name', '-name'] as const),
  ...(['price', '-price', 'stock', '-stock'] as const),
] as const;

export const productCalls = {
  listProducts: {
    ...paths.listProducts,
    summary: 'List products, oldest first',
    access: 'everyone',
    query: page.extend({
      q: optionalText('Search', 100).describe(
        'Only products whose names contain words that start with these; for admins only.',
      ),
      category: optionalText('Category', 60).describe('Only products of this category; for admins only.'),
      inStock: z
        .enum(['false'], 'InStock must be false')
        .optional()
        .describe('`false` lists only products that are sold out; for admins only.'),
      lowStock: z
        .enum(['true'], 'LowStock must be true')
        .optional()
        .describe(
          '`true` lists only products that are sold out or have less stock than their threshold; for admins only.',
        ),
      archived: z
        .enum(['true', 'false'], 'Archived must be true or false')
        .optional()
        .describe('`true` lists archived products instead; for admins only.'),
      format: z
        .enum(['csv'], 'Format must be csv')
        .optional()
        .describe('`csv` exports all products, archived ones too, as a file; for admins only.'),
      sort: z
        .enum(productSorts, `Sort must be one of ${productSorts.join(', ')}`)
        .default('added')
        .describe('`-` reverses the sort order; only admins may sort by anything but `added`.'),
    }),
    response: z.array(product),
    errors: [401, 403, 422],
  },
  listCategories: {
    ...dashboardPaths.listCategories,
    summary: "List the products' categories in alphabetical order, 500 at most",
    access: 'admin',
    response: z.object({ categories: z.array(z.string()) }),
    errors: [401, 403],
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
    ...dashboardPaths.addProduct,
    summary: 'Add a product',
    access: 'admin',
    body: newProduct,
    idempotent: true,
    status: 201,
    response: insertedId,
    errors: [400, 401, 403, 413, 415, 422],
  },
  editProduct: {
    ...dashboardPaths.editProduct,
    summary: 'Edit, archive or restore a product; its orders are unaffected',
    access: 'admin',
    params: byId,
    body: productEdit,
    response: modifiedCount.extend({ version: z.int().describe('The current version.') }),
    errors: [400, 401, 403, 404, 409, 413, 415, 422],
    conflicts: ['edit_conflict'],
  },
  deleteProduct: {
    ...dashboardPaths.deleteProduct,
    summary: 'Delete a product; its orders are unaffected',
    access: 'admin',
    params: byId,
    response: deletedCount,
    errors: [401, 403, 404],
  },
} as const satisfies Record<string, Call>;
