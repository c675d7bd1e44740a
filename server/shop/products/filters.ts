import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import { maxAmount } from '../../../contract/fields.ts';
import { toNearestMinor } from '../../config/currency.ts';
import { toCategoryKey } from '../../database/search-text.ts';
import type { Shop } from '../shop.ts';

/** The columns that indexes sort. */
export type SortColumn = 'id' | 'name_key' | 'price' | 'available' | 'rating';

export type Filter = {
  condition: RawBuilder<boolean>;
  /** Selects the ids of the matching products from an index. */
  candidates?: RawBuilder<unknown>;
  /** The columns by which indexes sort the matching products. */
  sorted?: SortColumn[];
};

/** Not archived. Written as in the conditions of the indexes. */
export const isCurrent = sql<boolean>`archived_at is null`;

/** Sold out or below the threshold. Written as in its index (`product_low_stock`). */
export const isLowOrSoldOut = sql<boolean>`available < case when low_stock > minimum then low_stock else minimum end`;

export type FilterQuery = Query<typeof contract.getProductFilters>;

/**
 * The filters of a list besides its search. Each product of the list passes all of them. The conditions are written as in the
 * partial indexes of the baseline migration.
 */
export function listFilters(shop: Pick<Shop, 'database' | 'currency'>, query: FilterQuery): Filter[] {
  const { category, archived, inStock, lowStock, weight } = query;
  const filters: Filter[] = [];
  const isInCategory = sql<boolean>`category_key = ${toCategoryKey(category)}`;
  const prices = matchPrices(shop.currency, query);
  if (archived === 'true') {
    filters.push(
      filterByIndex(['id', 'name_key', 'price', 'available'], sql<boolean>`archived_at is not null`),
    );
    if (category) filters.push(filterByIndex(['id'], isInCategory));
  } else if (category) {
    const all = sql.join([isCurrent, isInCategory, ...(prices ? [prices] : [])], sql` and `);
    filters.push(filterByIndex(prices ? ['price'] : ['id', 'name_key', 'price'], sql<boolean>`(${all})`));
  } else if (inStock !== 'false' && !lowStock && !weight)
    filters.push({ condition: isCurrent, sorted: ['id'] });
  if (prices && (archived === 'true' || !category)) filters.push(filterByIndex(['price'], prices));
  // `available > 0` lets the index of the stock skip the sold-out products. A minimum is at least one.
  if (inStock === 'true')
    filters.push({ condition: sql<boolean>`available > 0 and available >= minimum`, sorted: ['available'] });
  if (weight === 'none') filters.push(filterByIndex(['id'], sql<boolean>`(${isCurrent} and weight is null)`));
  const stock = [
    ...(inStock === 'false' ? [sql<boolean>`available < minimum`] : []),
    ...(lowStock === 'true' ? [isLowOrSoldOut] : []),
  ];
  for (const condition of stock)
    filters.push(
      // The indexes on stock leave out archived products.
      archived === 'true'
        ? { condition }
        : filterByIndex(['available'], sql<boolean>`(${isCurrent} and ${condition})`),
    );
  return filters;
}

function matchPrices(currency: string, { minPrice, maxPrice }: FilterQuery): RawBuilder<boolean> | undefined {
  if (minPrice === undefined && maxPrice === undefined) return undefined;
  const lowest = toNearestMinor(minPrice ?? 0, currency, Math.ceil);
  const highest = toNearestMinor(maxPrice ?? maxAmount, currency, Math.floor);
  return sql<boolean>`price between ${lowest} and ${highest}`;
}

/** A filter whose matching products can be read from an index for each of these sort columns. */
const filterByIndex = (sorted: SortColumn[], condition: RawBuilder<boolean>): Filter => ({
  condition,
  candidates: sql`select id from product where ${condition}`,
  sorted,
});
