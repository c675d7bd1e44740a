import { purchasePages } from '../../contract/page-addresses.ts';
import type { WebSettings } from '../../contract/pages.ts';

/**
 * JSON-LD (https://schema.org) for the home page. It describes the shop and, if visitors may open them, lists the pages of the
 * products shown. Those pages describe the products
 * (https://developers.google.com/search/docs/appearance/structured-data/carousel).
 */
export function buildStructuredData(
  { origin, openCatalogue }: WebSettings,
  products: { _id: string }[],
  logo: string,
): object {
  const home = `${origin}/`;
  return {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'OnlineStore',
        name: 'Hand-Tools Shop',
        url: home,
        logo: origin + logo,
      },
      ...(openCatalogue
        ? [
            {
              '@type': 'ItemList',
              itemListElement: products.map(({ _id }, index) => ({
                '@type': 'ListItem',
                position: index + 1,
                url: `${origin}${purchasePages}/${_id}`,
              })),
            },
          ]
        : []),
    ],
  };
}
