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

/** Search engines index the catalogue with these parameters. Other filters and sort orders would only repeat the same products. */
const indexedParams = ['category', 'after'];
const filterParams = ['q', 'inStock', 'minPrice', 'maxPrice', 'sort'];

export function describePage(page: LoadedPage, { paths, files }: Manifest): PageMeta {
  const { settings, matches, url, loaderData } = page;
  const { pathname, searchParams } = new URL(url);
  const { id = '', params = {} } = matches.at(-1) ?? {};
  const pattern = paths[id];
  // Paths match in any case and with slashes at the end, so build the canonical path from the pattern.
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
    // Don't index a category without products. Otherwise, anyone could link to a category of any text, and make search engines list it.
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
