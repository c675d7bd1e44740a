import { productSorts } from '../../../../../contract/catalogue/product-sorts.ts';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import { readRowsQuery } from '../../more-rows.tsx';

export type ProductSort = (typeof productSorts)[number];

/** Labels of the product lists. Each key except `current` is also the URL's flag for that list. */
export const productLists = {
  current: 'Current',
  archived: 'Archived',
  soldOut: 'Sold out',
  low: 'Low stock',
  weightless: 'Without weight',
};
export type ProductList = keyof typeof productLists;

/** List, search and sorting in the URL of Manage Products. */
export type ProductListQuery = { list: ProductList; q: string; category: string; sort: ProductSort };

export function readProductListQuery(searchParams: URLSearchParams): ProductListQuery {
  const read = (name: string, max: number) => (searchParams.get(name) ?? '').trim().slice(0, max);
  const list = (['archived', 'soldOut', 'low', 'weightless'] as const).find((flag) => searchParams.has(flag));
  const sort = productSorts.find((one) => one === searchParams.get('sort'));
  const q = read('q', 100);
  return {
    list: list ?? 'current',
    q,
    category: read('category', 60),
    // Without a search text, `added` and `best` both sort the oldest first.
    sort: !sort || (sort === 'added' && !q) ? 'best' : sort,
  };
}

/** The URL's query, starting with `?`. */
export function toSearch({ list, q, category, sort }: ProductListQuery): string {
  const search = new URLSearchParams({
    ...(q ? { q } : {}),
    ...(category ? { category } : {}),
    ...(sort === 'best' ? {} : { sort }),
  });
  const flag = list === 'current' ? '' : list;
  return `?${[flag, search.toString()].filter(Boolean).join('&')}`;
}

/** The query of `listProducts`. */
export function toListQuery(request: Request, { list, q, category, sort }: ProductListQuery) {
  return {
    ...readRowsQuery(request),
    q,
    category,
    sort,
    ...(list === 'archived' ? { archived: 'true' as const } : {}),
    ...(list === 'soldOut' ? { inStock: 'false' as const } : {}),
    ...(list === 'low' ? { lowStock: 'true' as const } : {}),
    ...(list === 'weightless' ? { weight: 'none' as const } : {}),
  };
}

/** Labels of the sort orders. Without a search text, nothing is a better match, so the default is the oldest first. */
export const listSortLabels = ({ q }: ProductListQuery): Partial<Record<ProductSort, string>> => ({
  ...(q ? { best: 'Best match', added: 'Oldest first' } : { best: 'Oldest first' }),
  '-added': 'Newest first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  price: 'Price, lowest first',
  '-price': 'Price, highest first',
  '-rating': 'Best rated first',
  stock: 'Stock, lowest first',
  '-stock': 'Stock, highest first',
});

type Quantities = Pick<Product, 'a_quantity' | 'o_quantity' | 'lowStock'>;
export const isSoldOut = ({ a_quantity, o_quantity }: Quantities): boolean => a_quantity < o_quantity;
export const isLow = ({ a_quantity, lowStock }: Quantities): boolean =>
  lowStock !== undefined && a_quantity < lowStock;
