import type { Purchase } from '../../../contract/orders/purchases.ts';
import { toWire } from '../../config/currency.ts';
import type { Db } from '../../database/schema.ts';
import type { OrderRow } from '../orders/queries.ts';
import { parseAddress } from './stored-address.ts';

/** The choices of a checkout. `charges` and `rate` are absent if no rate is chosen. */
export type CheckoutFields = Partial<Pick<Purchase, 'charges' | 'rate' | 'shipTo' | 'billTo' | 'remark'>>;

/** Saving the checkout advances the version, so a purchase with version 1 has nothing. */
export async function readCheckout(db: Db, { purchase_id, version }: OrderRow): Promise<CheckoutFields> {
  if (version === 1) return {};
  return (await listCheckouts(db, [purchase_id])).get(purchase_id) ?? {};
}

/** The choices of these purchases' checkouts, by the purchase's id. */
export async function listCheckouts(
  db: Db,
  purchaseIds: readonly string[],
): Promise<Map<string, CheckoutFields>> {
  const purchases = await db
    .selectFrom('purchase')
    .select(['id', 'currency', 'rate', 'ship_to', 'bill_to', 'remark'])
    .where('id', 'in', purchaseIds)
    .execute();
  const paidFor = purchases.filter(({ rate }) => rate !== null).map(({ id }) => id);
  const charges = paidFor.length > 0 ? await listCharges(db, paidFor) : [];
  return new Map(
    purchases.map(({ id, currency, rate, ship_to, bill_to, remark }) => [
      id,
      {
        ...(rate === null
          ? {}
          : {
              rate,
              charges: charges
                .filter(({ purchase_id }) => purchase_id === id)
                .map(({ kind, label, amount }) => ({ kind, label, amount: toWire(amount, currency) })),
            }),
        ...(ship_to === null ? {} : { shipTo: parseAddress(ship_to) }),
        ...(bill_to === null ? {} : { billTo: parseAddress(bill_to) }),
        ...(remark === null ? {} : { remark }),
      },
    ]),
  );
}

const listCharges = (db: Db, purchaseIds: readonly string[]) =>
  db.selectFrom('charge').selectAll().where('purchase_id', 'in', purchaseIds).execute();
