import { contract } from '../../../contract/contract.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { consumeRateLimits } from '../../http/rate-limit.ts';
import { reauthenticate } from '../../identity/reauthenticate.ts';
import type { Shop } from '../shop.ts';
import { deleteAccount } from './delete.ts';
import { exportAccount } from './export.ts';

export function mountAccountData(calls: Calls, shop: Shop): void {
  route(calls, contract.exportUser, async ({ viewer }) => {
    await consumeRateLimits(shop.database, { [`export ${viewer.id}`]: shop.rateLimits.exportsPerUser });
    return exportAccount(shop, viewer);
  });

  route(calls, contract.deleteUser, async ({ viewer, body: { password = '' }, address }) => {
    const { database, rateLimits: limits, passwordQueue } = shop;
    await reauthenticate({ database, limits, passwordQueue }, viewer, { password, address });
    await deleteAccount(shop, viewer);
    return { deletedCount: 1 };
  });
}
