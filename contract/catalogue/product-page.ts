import { z } from 'zod';
import type { Call } from '../call.ts';
import { deletedCount, id, modifiedCount } from '../fields.ts';
import { paths } from '../paths.ts';
import { product } from './products.ts';

/** The most products that a user can wait for at the same time. */
export const maxBackInStock = 50;

const byId = z.object({ id });

const relatedProducts = z.object({
  boughtTogether: z
    .array(product)
    .describe('Products often bought in the same purchase, the most frequent first; at most four.'),
  related: z.array(product).describe('Other products of the same category; at most four.'),
});
export type RelatedProducts = z.output<typeof relatedProducts>;

export const productPageCalls = {
  listRelatedProducts: {
    ...paths.listRelatedProducts,
    summary: 'List products to show with a product',
    access: 'everyone',
    params: byId,
    response: relatedProducts,
  },
  requestBackInStock: {
    ...paths.requestBackInStock,
    summary: 'Send the user one message when a sold-out product is back in stock',
    access: 'signed-in',
    params: byId,
    response: modifiedCount,
    conflicts: ['in_stock', 'address_unconfirmed', 'conflict'],
  },
  cancelBackInStock: {
    ...paths.cancelBackInStock,
    summary: 'Cancel the back-in-stock message about a product',
    access: 'signed-in',
    params: byId,
    response: deletedCount,
  },
} as const satisfies Record<string, Call>;
