import type { z } from 'zod';
import { chargeNames } from '../../../../contract/delivery/charge-names.ts';
import { invalid, ShopError } from '../../../../contract/errors.ts';
import type { newRefund } from '../../../../contract/orders/refunds.ts';
import { formatPrice, toMinor, toWire } from '../../../config/currency.ts';
import type { Subject } from '../../orders/subjects.ts';
import type { Shop } from '../../shop.ts';
import { getUnreserved } from './lines.ts';
import type { RequestedLine } from './request.ts';

type Requested = NonNullable<z.output<typeof newRefund>['charges']>;

/** The charges of a request, with their amounts in minor units. Throws 422 for an amount that the currency does not have. */
export const readCharges = (charges: Requested = [], currency: string): Requested =>
  charges.map(({ kind, ...charge }) => {
    const amount = toMinor(charge.amount, currency);
    if (amount === undefined)
      throw invalid('charges', `${chargeNames[kind]} has too many decimals for ${currency}`);
    return { kind, amount };
  });

/**
 * The charges of a locked purchase that a refund is for; `rest` is how much can be refunded of one. Throws 422 if there is no such
 * charge, 409 if less is left of it
 * (`data.charges`).
 */
export const findCharges = (
  shop: Shop,
  charges: Requested,
  subjects: readonly Subject[],
  rest = getUnreserved,
): RequestedLine[] =>
  charges.map(({ kind, amount }) => {
    const order = subjects.find(({ charge }) => charge?.kind === kind);
    if (!order) throw invalid('charges', `${chargeNames[kind]} was not charged for this order`);
    if (amount <= rest(order)) return { order, amount, quantity: 0, restock: 0 };
    const most = formatPrice(shop, Math.max(0, rest(order)), order.currency);
    const message = `At most ${most} of ${chargeNames[kind].toLowerCase()} can still be refunded`;
    throw new ShopError('over_refund', `${message}.`, {
      data: { charges: [{ kind, refundable: toWire(Math.max(0, rest(order)), order.currency) }] },
      errors: [{ field: 'charges', message }],
    });
  });
