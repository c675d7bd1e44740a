import { contract } from '../../../contract/contract.ts';
import { createBurstLimit } from '../../http/burst-limit.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { getOwnPurchase } from '../orders/purchases.ts';
import type { Shop } from '../shop.ts';
import { addToBasket, getBasket, putIntoBasket, removeBasketLine, setBasketLine } from './basket.ts';

export function mountBasket(calls: Calls, shop: Shop): void {
  const { basketAdditionsPerUser, basketAdditionsPerUserAndSecond } = shop.rateLimits;
  const limitAdditions = createBurstLimit(
    basketAdditionsPerUser,
    basketAdditionsPerUserAndSecond,
    'Too many additions to your basket: wait a few seconds and try again.',
  );

  route(calls, contract.getBasket, ({ viewer }) => getBasket(shop, viewer));

  route(calls, contract.addToBasket, async ({ viewer, params, body, idempotencyKey }) => {
    limitAdditions(viewer.id, 1);
    await addToBasket(shop, viewer, { productId: params.id, quantity: body.quantity }, idempotencyKey);
    return getBasket(shop, viewer);
  });

  route(calls, contract.orderAgain, async ({ viewer, params }) => {
    limitAdditions(viewer.id, 1);
    await putIntoBasket(shop, viewer, await getOwnPurchase(shop, viewer, params.id));
    return getBasket(shop, viewer);
  });

  route(calls, contract.setBasketLine, async ({ viewer, params, body }) => {
    await setBasketLine(shop, viewer, { productId: params.id, quantity: body.quantity });
    return getBasket(shop, viewer);
  });

  route(calls, contract.removeBasketLine, async ({ viewer, params }) => ({
    deletedCount: await removeBasketLine(shop.database, viewer, params.id),
  }));
}
