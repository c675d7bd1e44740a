import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import { toNearestMinor } from '../../config/currency.ts';
import type { Shop } from '../shop.ts';

/** The columns that indexes sort. */
export type SortColumn = 'id' | 'name' | 'price' | 'available' | 'rating';

export type Filter = {
  condition: RawBuilder<boolean>;
  /** Selects the ids of the matching products from an index. */
  candidates?: RawBuilder<unknown>;
  /**
   * The sort columns of the indexes that contain the matching products, and these indexes' conditions. Together,
   * they contain all.
   */
  sorted?: { by: SortColumn[]; parts: RawBuilder<boolean>[] };
};

/** Not archived. Written as in the conditions of the indexes. */
export const isCurrent = sql<boolean>`archived_at is null`;

export type FilterQuery = Query<typeof contract.getProductFilters>;

/**
 * The filters of a list besides its search, all of which its products pass. The conditions are those of migrations 012, 016,
 * 023 and 031.
 */
export function listFilters(shop: Pick<Shop, 'database' | 'currency'>, query: FilterQuery): Filter[] {
  const { category, archived, inStock, lowStock } = query;
  const filters: Filter[] = [];
  const isInCategory = sql<boolean>`category = ${category}`;
  const prices = matchPrices(shop.currency, query);
  if (archived === 'true') {
    filters.push(
      filterByIndex(['id', 'name', 'price', 'available'], [sql<boolean>`archived_at is not null`]),
    );
    if (category) filters.push(filterByIndex(['id'], [isInCategory]));
  } else if (category) {
    const part = sql.join([isCurrent, isInCategory, ...(prices ? [prices] : [])], sql` and `);
    filters.push(filterByIndex(prices ? ['price'] : ['id', 'name', 'price'], [sql<boolean>`(${part})`]));
  } else if (inStock !== 'false' && !lowStock)
    filters.push({ condition: isCurrent, sorted: { by: ['id'], parts: [isCurrent] } });
  if (prices && (archived === 'true' || !category)) filters.push(filterByIndex(['price'], [prices]));
  if (inStock === 'true') filters.push({ condition: sql<boolean>`available >= minimum` });
  const isSoldOut = sql<boolean>`available < minimum`;
  const isLow = sql<boolean>`available < low_stock`;
  const stock = [
    ...(inStock === 'false' ? [[isSoldOut]] : []),
    ...(lowStock === 'true' ? [[isSoldOut, isLow]] : []),
  ];
  for (const conditions of stock)
    filters.push(
      archived === 'true'
        ? // The indexes contain only products on sale.
          { condition: anyOf(conditions) }
        : filterByIndex(
            ['available'],
            conditions.map((condition) => sql<boolean>`${isCurrent} and ${condition}`),
          ),
    );
  return filters;
}

function matchPrices(currency: string, { minPrice, maxPrice }: FilterQuery): RawBuilder<boolean> | undefined {
  if (minPrice === undefined && maxPrice === undefined) return undefined;
  const lowest = toNearestMinor(minPrice ?? 0, currency, Math.ceil);
  const highest = toNearestMinor(maxPrice ?? 1_000_000, currency, Math.floor);
  return sql<boolean>`price between ${lowest} and ${highest}`;
}

/** Products that match any of the conditions; each condition has an index sorted by each of these columns. */
function filterByIndex(by: SortColumn[], parts: RawBuilder<boolean>[]): Filter {
  const selects = parts.map((part) => sql`select id from product where ${part}`);
  return {
    condition: anyOf(parts),
    candidates: sql.join(selects, sql` union all `),
    sorted: { by, parts },
  };
}

const anyOf = (conditions: RawBuilder<boolean>[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`;
