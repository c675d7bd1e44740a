import { publicSorts } from '../../../contract/catalogue/product-sorts.ts';

type Sort = (typeof publicSorts)[number];

/** Search, filters and sorting in the URL of /products. Empty text means no filter or the default sort order. */
export type CatalogueQuery = {
  q: string;
  category: string;
  inStock: 'true' | '';
  minPrice: string;
  maxPrice: string;
  sort: Sort | '';
};

/** Also the `pattern` of the price fields. */
export const pricePattern = '[0-9]{1,6}([.,][0-9]{1,2})?';
const price = new RegExp(`^${pricePattern}$`);

/** Ignores values that the page's own form and links never send. Swaps prices in the wrong order. */
export function readCatalogueQuery(search: URLSearchParams): CatalogueQuery {
  const read = (name: string, max: number) => (search.get(name) ?? '').trim().slice(0, max);
  const readPrice = (name: string) => (price.test(read(name, 9)) ? read(name, 9).replace(',', '.') : '');
  const q = read('q', 100);
  const [min, max] = [readPrice('minPrice'), readPrice('maxPrice')];
  const isReversed = min !== '' && max !== '' && Number(min) > Number(max);
  const sort = publicSorts.find((one) => one === search.get('sort')) ?? '';
  return {
    q,
    category: read('category', 60),
    inStock: search.get('inStock') === 'true' ? 'true' : '',
    minPrice: isReversed ? max : min,
    maxPrice: isReversed ? min : max,
    sort: sort === 'best' || (sort === 'added' && !q) ? '' : sort,
  };
}

/** The parameters of the page and of the calls, without unset ones. */
export function toParameters({ q, category, inStock, minPrice, maxPrice, sort }: CatalogueQuery) {
  return {
    ...(q ? { q } : {}),
    ...(category ? { category } : {}),
    ...(inStock ? { inStock } : {}),
    ...(minPrice ? { minPrice } : {}),
    ...(maxPrice ? { maxPrice } : {}),
    ...(sort ? { sort } : {}),
  };
}

/** The URL's query for the first page: `?` and the parameters. */
export const linkTo = (query: CatalogueQuery): string => `?${new URLSearchParams(toParameters(query))}`;

/** Labels of the sort orders. The empty value is the default. */
export const listSortLabels = ({ q }: CatalogueQuery): Record<string, string> => ({
  ...(q ? { '': 'Best match', added: 'Catalogue order' } : { '': 'Catalogue order' }),
  name: 'Name, A to Z',
  price: 'Price, lowest first',
  '-price': 'Price, highest first',
  '-rating': 'Best rated first',
});
