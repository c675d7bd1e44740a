import type { Frame } from '../../contract/pages.ts';
import { loadOnce } from '../config/load-once.ts';
import { readShopDetails, toPromises, toSeller } from '../shop/printing/shop-details.ts';
import { countMatches } from '../shop/products/filter-counts.ts';
import type { Shop } from '../shop/shop.ts';

const maxCategories = 6;

/**
 * Reads what the frame around every page shows. The result is cached until `clear`, like responses in the response cache, because
 * pages of signed-in users are not cached.
 */
export function createFrameReader(shop: Pick<Shop, 'config' | 'database' | 'currency'>) {
  async function load(): Promise<Frame> {
    const [{ categories }, details] = await Promise.all([
      countMatches(shop, { q: '', category: '' }),
      readShopDetails(shop),
    ]);
    const { name, address, taxId } = toSeller(details);
    const largest = categories.toSorted((one, other) => other.count - one.count).slice(0, maxCategories);
    return {
      // Keep the categories in alphabetical order.
      categories: categories.filter((entry) => largest.includes(entry)).map(({ category }) => category),
      // A name alone, which has a default, says nothing about the seller.
      seller: address || taxId ? [name, ...address.split('\n'), taxId].filter(Boolean) : [],
      promises: toPromises(details),
      ...(details.returnDays ? { returnDays: details.returnDays } : {}),
    };
  }

  let read = loadOnce(load);
  return {
    read: () => read(),
    clear(): void {
      read = loadOnce(load);
    },
  };
}
