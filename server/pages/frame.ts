import type { ProductFilters } from '../../contract/catalogue/product-list.ts';
import { isDeliverySetUp } from '../../contract/delivery/rates.ts';
import type { Frame, ShownCategory } from '../../contract/pages.ts';
import { loadOnce } from '../config/load-once.ts';
import { toCategoryKey } from '../database/search-text.ts';
import { findCountry } from '../shop/printing/country.ts';
import { readShopDetails, toPromises, toSeller } from '../shop/printing/shop-details.ts';
import { countMatches } from '../shop/products/filter-counts.ts';
import { isCurrent } from '../shop/products/filters.ts';
import type { Shop } from '../shop/shop.ts';

const maxCategories = 6;

/**
 * Reads what the frame around every page shows. The result is cached until `clear`, like responses in the response cache, because
 * pages of signed-in users are not cached.
 */
export function createFrameReader(
  shop: Pick<Shop, 'config' | 'database' | 'currency' | 'readShownShipping'>,
) {
  async function load(): Promise<Frame> {
    const [{ categories }, details, shipping] = await Promise.all([
      countMatches(shop, { q: '', category: '' }),
      readShopDetails(shop),
      shop.readShownShipping(),
    ]);
    const { name, address, taxId } = toSeller(details);
    const { returnDays: days } = details;
    const country = days ? findCountry(address) : undefined;
    const largest = categories.toSorted((one, other) => other.count - one.count).slice(0, maxCategories);
    return {
      // Keep the categories in alphabetical order.
      categories: await addImages(categories.filter((entry) => largest.includes(entry))),
      // A name alone, which has a default, says nothing about the seller.
      seller: address || taxId ? [name, ...address.split('\n'), taxId].filter(Boolean) : [],
      promises: toPromises(details),
      ...(days && country ? { returnPolicy: { days, country } } : {}),
      ...(isDeliverySetUp(shipping) ? { delivers: true as const } : {}),
    };
  }

  /** Adds the image of each category's newest product: the home page already shows the oldest products of the shop. */
  async function addImages(categories: ProductFilters['categories']): Promise<ShownCategory[]> {
    const shown = await Promise.all(
      categories.map(async (entry) => {
        const newest = await shop.database.db
          .selectFrom('product')
          .select('image')
          .where('category_key', '=', toCategoryKey(entry.category))
          .where(isCurrent)
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst();
        // Since the count, the category may have lost its last product.
        return newest ? [{ ...entry, img: newest.image }] : [];
      }),
    );
    return shown.flat();
  }

  let read = loadOnce(load);
  return {
    read: () => read(),
    clear(): void {
      read = loadOnce(load);
    },
  };
}
