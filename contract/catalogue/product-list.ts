import { z } from 'zod';
import type { Call } from '../call.ts';
import { maxAmount, optionalText, page, parseNumber } from '../fields.ts';
import { paths } from '../paths.ts';
import { productSorts, publicSorts } from './product-sorts.ts';
import { product } from './products.ts';

const priceLimit = (label: string) =>
  z
    .preprocess(
      (input) => parseNumber(input) ?? input,
      z
        .number(`${label} must be a number`)
        .min(0, `${label} must be at least 0`)
        .max(maxAmount, `${label} must be at most ${maxAmount}`)
        .optional(),
    )
    .optional();

const filters = z.object({
  q: optionalText('Search', 100).describe(
    'Only products whose name, description or category contains all of these words.',
  ),
  partial: z
    .enum(['true'], 'Partial must be true')
    .optional()
    .describe('If no product matches all words of `q`, `true` lists those that match some, closest first.'),
  category: optionalText('Category', 60).describe('Only products of this category.'),
  inStock: z
    .enum(['true', 'false'], 'InStock must be true or false')
    .optional()
    .describe('`true` lists only products in stock; `false` only those that are sold out, for admins only.'),
  minPrice: priceLimit('MinPrice').describe('Only products that cost at least this.'),
  maxPrice: priceLimit('MaxPrice').describe('Only products that cost at most this.'),
  lowStock: z
    .enum(['true'], 'LowStock must be true')
    .optional()
    .describe(
      '`true` lists only products that are sold out or have less stock than their threshold; for admins only.',
    ),
  weight: z
    .enum(['none'], 'Weight must be none')
    .optional()
    .describe('`none` lists only products without a weight; for admins only.'),
  archived: z
    .enum(['true', 'false'], 'Archived must be true or false')
    .optional()
    .describe('`true` lists archived products instead; for admins only.'),
});

const count = z.int();
const atLeast = z.literal(true).optional().describe('Set if there are more than were counted.');

const productFilters = z.object({
  matches: count.describe('How many products the list has.'),
  atLeast,
  partial: z.literal(true).optional().describe('Set if the products match only some of the words.'),
  categories: z
    .array(z.object({ category: z.string(), count, atLeast }))
    .describe('How many products the list would have for each category, in alphabetical order.'),
  words: z
    .array(z.string())
    .describe(
      'The corrections of misspelled words, and synonyms. For a `partial` list, the stems of all words and their corrections. If nothing matches, the closest words in the catalogue.',
    ),
});
export type ProductFilters = z.output<typeof productFilters>;

export const productListCalls = {
  listProducts: {
    ...paths.listProducts,
    summary: 'List, search and filter products',
    access: 'everyone',
    query: page.extend({
      ...filters.shape,
      format: z
        .enum(['csv'], 'Format must be csv')
        .optional()
        .describe('`csv` exports all products, archived ones too, as a file; for admins only.'),
      sort: z
        .enum(productSorts, `Sort must be one of ${productSorts.join(', ')}`)
        .optional()
        .describe(
          `\`-\` reverses the sort order. By default, \`best\` for a search, otherwise \`added\`, the oldest first. Everyone may use ${publicSorts.map((sort) => `\`${sort}\``).join(', ')}.`,
        ),
    }),
    response: z.array(product),
    errors: [401, 403, 429],
  },
  getProductFilters: {
    ...paths.getProductFilters,
    summary: "Count a list's products by category",
    access: 'everyone',
    query: filters,
    response: productFilters,
    errors: [401, 403, 429],
  },
  listCategories: {
    ...paths.listCategories,
    summary: "List the products' categories in alphabetical order, 500 at most",
    access: 'admin',
    response: z.object({ categories: z.array(z.string()) }),
  },
} as const satisfies Record<string, Call>;
