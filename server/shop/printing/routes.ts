import { contract } from '../../../contract/contract.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { Shop } from '../shop.ts';
import { readPrintout } from './printout.ts';
import { readShopDetails, saveShopDetails } from './shop-details.ts';

export function mountPrinting(calls: Calls, shop: Shop): void {
  route(calls, contract.getPrintout, ({ viewer, query }) => readPrintout(shop, viewer, query.orders));

  route(calls, contract.getShopDetails, () => readShopDetails(shop));

  route(calls, contract.saveShopDetails, async ({ viewer, body }) => {
    const saved = await saveShopDetails(shop, viewer, body);
    // Visitors share cached searches.
    shop.invalidateCache();
    return saved;
  });
}
