import { contract } from '../../../contract/contract.ts';
import { createBurstLimit } from '../../http/burst-limit.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { getOwnPurchase, getPurchase } from '../orders/purchases.ts';
import { readPurchase } from '../orders/read-purchase.ts';
import { reportVersion } from '../orders/version.ts';
import type { Shop } from '../shop.ts';
import { addAddress, changeAddress, listAddresses, removeAddress } from './address-book.ts';
import { quoteLines, quotePurchase, saveCheckout } from './checkout.ts';
import { readShipping, saveShipping } from './shipping.ts';

export function mountDelivery(calls: Calls, shop: Shop): void {
  route(calls, contract.listAddresses, ({ viewer }) => listAddresses(shop.database.db, viewer.id));

  route(calls, contract.addAddress, async ({ viewer, body, idempotencyKey }) => ({
    insertedId: await addAddress(shop, viewer.id, body, idempotencyKey),
  }));

  route(calls, contract.changeAddress, async ({ viewer, params, body }) => ({
    modifiedCount: await changeAddress(shop, viewer.id, params.id, body),
  }));

  route(calls, contract.removeAddress, async ({ viewer, params }) => ({
    deletedCount: await removeAddress(shop, viewer.id, params.id),
  }));

  route(calls, contract.getShipping, () => readShipping(shop.database.db));

  route(calls, contract.saveShipping, ({ viewer, body }) => saveShipping(shop, viewer, body));

  const { quotedLinesPerAddress, quotedLinesPerAddressAndSecond } = shop.rateLimits;
  const limitQuotes = createBurstLimit(
    quotedLinesPerAddress,
    quotedLinesPerAddressAndSecond,
    'Too many quotes for your network: wait a few seconds and try again.',
  );
  route(calls, contract.quoteLines, ({ address, body: { lines, ...destination } }) => {
    limitQuotes(address, lines.length);
    return quoteLines(shop, lines, destination);
  });

  route(calls, contract.quotePurchase, ({ subject: orders, query }) => quotePurchase(shop, orders, query), {
    requireSubject: (viewer: SessionUser, id: string) => getPurchase(shop, viewer, id),
  });

  route(
    calls,
    contract.saveCheckout,
    async ({ viewer, subject: [{ purchase_id }], body }) => {
      await reportVersion(shop.database.db, purchase_id, () => saveCheckout(shop, viewer, purchase_id, body));
      return readPurchase(shop, viewer, await getOwnPurchase(shop, viewer, purchase_id));
    },
    { requireSubject: (viewer: SessionUser, id: string) => getOwnPurchase(shop, viewer, id) },
  );
}
