import type { LoadedPage, Manifest } from '../../contract/pages.ts';
import type { loader as loadProducts } from '../pages/products.tsx';
import type { loader as loadPurchase } from '../pages/purchase.tsx';

/** The data for search engines and link previews, besides a page's title and description. */
export type PageMeta = {
  /** The page's only URL for search engines, at `PUBLIC_URL`: clients control `Host`. */
  canonical: string;
  isIndexed: boolean;
  image: string;
  imageAlt: string;
};

/** The parameters of the catalogue's pages that search engines index; other filters and sort orders only repeat them. */
const indexedParams = ['category', 'after'];
const filterParams = ['q', 'inStock', 'minPrice', 'maxPrice', 'sort'];

export function describePage(page: LoadedPage, { paths, files }: Manifest): PageMeta {
  const { settings, matches, url, loaderData } = page;
  const { pathname, searchParams } = new URL(url);
  const { id = '', params = {} } = matches.at(-1) ?? {};
  const pattern = paths[id];
  // Pages match in any case and with slashes at the end.
  const path = pattern?.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const meta = {
    canonical: settings.origin + (path ?? pathname),
    isIndexed: true,
    image: `${settings.origin}${files['share.png']}`,
    imageAlt: 'A clock movement, drawn as an engraving',
  };
  if (id === 'products') {
    const find = (names: string[]) => names.filter((name) => searchParams.get(name));
    const filters = find(filterParams);
    const query = new URLSearchParams(
      [...find(indexedParams), ...filters].map((name) => [name, searchParams.get(name) ?? '']),
    );
    if (query.size > 0) meta.canonical += `?${query}`;
    const products = loaderData.products as Awaited<ReturnType<typeof loadProducts>> | undefined;
    // Otherwise, anyone could make search engines list a page whose category is text of their choice.
    const isEmpty = products?.results?.filters.matches === 0;
    return { ...meta, isIndexed: filters.length === 0 && !isEmpty };
  }
  const purchase = loaderData.purchase as Awaited<ReturnType<typeof loadPurchase>> | undefined;
  if (!purchase || !settings.openCatalogue) return meta;
  const { img, name, archived } = purchase.product;
  return {
    ...meta,
    isIndexed: !archived,
    image: new URL(img, settings.origin).href,
    imageAlt: name,
  };
}
