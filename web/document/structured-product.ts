import { type Fact, listFacts } from '../../contract/catalogue/facts.ts';
import type { Product, ShownProduct } from '../../contract/catalogue/products.ts';
import type { Review } from '../../contract/catalogue/reviews.ts';
import { homePage, purchasePages } from '../../contract/page-addresses.ts';
import type { Frame, WebSettings } from '../../contract/pages.ts';
import { listBreadcrumbs } from '../components/catalogue/breadcrumbs.tsx';

/**
 * JSON-LD of a product's page, with the properties that Google requires and recommends and that the shop knows:
 * https://developers.google.com/search/docs/appearance/structured-data/merchant-listing,
 * https://developers.google.com/search/docs/appearance/structured-data/product-snippet and
 * https://developers.google.com/search/docs/appearance/structured-data/breadcrumb. The owner's promises are repeated as they are
 * written: the data adds no fees and no length of the guarantee. Google rejects a return policy without a country, so it has the
 * country of the shop's address.
 */
export function buildProductData(
  { origin }: WebSettings,
  product: ShownProduct,
  reviews: readonly Review[],
  { promises, returnPolicy }: Pick<Frame, 'promises' | 'returnPolicy'>,
): object {
  const returns = promises.find((promise) => promise.name === 'returns');
  const guarantee = promises.find((promise) => promise.name === 'guarantee');
  const { _id, name, description, images, category, price, currency, o_quantity, rating } = product;
  const facts = listFacts(product.facts);
  const toUrl = (path: string) => new URL(path, origin).href;
  const url = toUrl(`${purchasePages}/${_id}`);
  return {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'Product',
        '@id': `${url}#product`,
        name,
        description,
        url,
        sku: _id,
        image: images.map(toUrl),
        ...(category ? { category } : {}),
        ...(facts.length > 0 ? { additionalProperty: facts.map(describeFact) } : {}),
        offers: {
          '@type': 'Offer',
          url,
          price,
          priceCurrency: currency,
          availability: `https://schema.org/${findAvailability(product)}`,
          itemCondition: 'https://schema.org/NewCondition',
          ...(o_quantity > 1
            ? { eligibleQuantity: { '@type': 'QuantitativeValue', minValue: o_quantity } }
            : {}),
          ...(returns && returnPolicy
            ? {
                hasMerchantReturnPolicy: {
                  '@type': 'MerchantReturnPolicy',
                  description: returns.text,
                  returnPolicyCategory: 'https://schema.org/MerchantReturnFiniteReturnWindow',
                  merchantReturnDays: returnPolicy.days,
                  applicableCountry: returnPolicy.country,
                },
              }
            : {}),
          ...(guarantee ? { warranty: { '@type': 'WarrantyPromise', description: guarantee.text } } : {}),
          seller: { '@type': 'OnlineStore', name: 'Hand-Tools Shop', url: toUrl(homePage) },
        },
        ...(rating
          ? {
              aggregateRating: {
                '@type': 'AggregateRating',
                ratingValue: rating.average,
                reviewCount: rating.count,
                ...scale,
              },
              review: reviews.map(describeReview),
            }
          : {}),
      },
      describeTrail(origin, product),
    ],
  };
}

/** JSON-LD of a category's page: its path in the catalogue. */
export const buildCategoryData = ({ origin }: WebSettings, category: string): object => ({
  '@context': 'https://schema.org',
  ...describeTrail(origin, { name: category }),
});

const describeTrail = (origin: string, page: Parameters<typeof listBreadcrumbs>[0]) => ({
  '@type': 'BreadcrumbList',
  itemListElement: listBreadcrumbs(page).map(({ name, to }, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    ...(to ? { item: new URL(to, origin).href } : {}),
  })),
});

const scale = { bestRating: 5, worstRating: 1 };

const describeFact = ({ label, value }: Fact) => ({ '@type': 'PropertyValue', name: label, value });

/** Google accepts names of authors below 100 characters. */
const maxAuthorLength = 99;

const describeReview = ({ name, rating, reviews: text, createdAt }: Review) => ({
  '@type': 'Review',
  author: { '@type': 'Person', name: name.slice(0, maxAuthorLength) },
  datePublished: createdAt,
  reviewBody: text,
  reviewRating: { '@type': 'Rating', ratingValue: rating, ...scale },
});

function findAvailability({ archived, a_quantity, o_quantity }: Product): string {
  if (archived) return 'Discontinued';
  return a_quantity < o_quantity ? 'OutOfStock' : 'InStock';
}
