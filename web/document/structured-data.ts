import type { Product } from '../../contract/catalogue/products.ts';
import type { WebSettings } from '../../contract/pages.ts';

/** JSON-LD (https://schema.org) for the home page: the shop and the products shown. */
export function buildStructuredData(
  { origin, chargedCurrency }: WebSettings,
  products: Pick<Product, '_id' | 'name' | 'price' | 'img' | 'description' | 'o_quantity' | 'a_quantity'>[],
  logo: string,
): object {
  const home = `${origin}/`;
  const shop = {
    '@type': 'OnlineStore',
    '@id': `${home}#shop`,
    name: 'Hand-Tools Shop',
    description: 'Hand tools for the repair of clocks.',
    url: home,
    logo: origin + logo,
  };
  return {
    '@context': 'https://schema.org',
    '@graph': [
      shop,
      ...products.map(({ _id, name, description, img, price, o_quantity, a_quantity }) => ({
        '@type': 'Product',
        sku: _id,
        name,
        description,
        image: new URL(img, home).href,
        offers: {
          '@type': 'Offer',
          price,
          priceCurrency: chargedCurrency,
          availability: `https://schema.org/${a_quantity < o_quantity ? 'OutOfStock' : 'InStock'}`,
          seller: { '@id': shop['@id'] },
          url: home,
        },
      })),
    ],
  };
}
