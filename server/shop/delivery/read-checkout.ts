import type { Selectable } from 'kysely';
import type { Purchase } from '../../../contract/orders/purchases.ts';
import { toWire } from '../../config/currency.ts';
import type { Db, Schema } from '../../database/schema.ts';
import type { OrderRow } from '../orders/queries.ts';
import { parseAddress } from './stored-address.ts';

/** The choices of a checkout. `charges` and `rate` are absent if no rate is chosen. */
export type CheckoutFields = Partial<
  Pick<Purchase, 'charges' | 'rate' | 'shipTo' | 'billTo' | 'remark' | 'pickup' | 'arrives'>
>;

type ChargeRow = Selectable<Schema['charge']>;
/** A saved checkout on the wire, and the rows of its charges. */
export type SavedCheckout = {
  fields: CheckoutFields;
  charges: ChargeRow[];
  /** When the address was last changed, in milliseconds; null if it never was, or if no rate is chosen. */
  changedAt: number | null;
};

export const noCheckout: SavedCheckout = { fields: {}, charges: [], changedAt: null };

/** Saving the checkout advances the version, so a purchase with version 1 has nothing. */
export async function readCheckout(db: Db, { purchase_id, version }: OrderRow): Promise<SavedCheckout> {
  if (version === 1) return noCheckout;
  return (await listCheckouts(db, [purchase_id])).get(purchase_id) ?? noCheckout;
}

/** The choices of these purchases' checkouts, by the purchase's id. */
export async function listCheckouts(
  db: Db,
  purchaseIds: readonly string[],
): Promise<Map<string, SavedCheckout>> {
  const purchases = await db
    .selectFrom('purchase')
    .select([
      'id',
      'currency',
      'rate',
      'pickup',
      'ship_to',
      'bill_to',
      'remark',
      'arrives_from',
      'arrives_to',
    ])
    .select(({ selectFrom }) =>
      selectFrom('delivery_change')
        .select(({ fn }) => fn.max('delivery_change.created_at').as('changed_at'))
        .whereRef('delivery_change.purchase_id', '=', 'purchase.id')
        .as('changed_at'),
    )
    .where('id', 'in', purchaseIds)
    .execute();
  const paidFor = purchases.filter(({ rate }) => rate !== null).map(({ id }) => id);
  const rows = paidFor.length > 0 ? await listChargeRows(db, paidFor) : [];
  return new Map(
    purchases.map((purchase) => {
      const {
        id,
        currency,
        rate,
        pickup,
        ship_to,
        bill_to,
        remark,
        arrives_from: from,
        arrives_to: to,
      } = purchase;
      const charges = rows.filter(({ purchase_id }) => purchase_id === id);
      const fields = {
        ...(rate === null ? {} : { rate, charges: charges.map((row) => toCharge(row, currency)) }),
        ...(ship_to === null ? {} : { shipTo: parseAddress(ship_to) }),
        ...(bill_to === null ? {} : { billTo: parseAddress(bill_to) }),
        ...(remark === null ? {} : { remark }),
        ...(pickup === null ? {} : { pickup }),
        ...(from === null || to === null ? {} : { arrives: { from, to } }),
      };
      return [id, { fields, charges, changedAt: rate === null ? null : purchase.changed_at }];
    }),
  );
}

/** The charges of these purchases. */
export const listChargeRows = (db: Db, purchaseIds: readonly string[]): Promise<ChargeRow[]> =>
  db.selectFrom('charge').selectAll().where('purchase_id', 'in', purchaseIds).execute();

/** Maps a charge to the wire, without its refunds. */
export const toCharge = (
  { kind, label, amount, refunded, refund_pending, owed }: ChargeRow,
  currency: string,
) => ({
  kind,
  label,
  amount: toWire(amount, currency),
  ...(refunded > 0 ? { refunded: toWire(refunded, currency) } : {}),
  ...(refund_pending > 0 ? { refundPending: toWire(refund_pending, currency) } : {}),
  ...(owed > 0 ? { owed: toWire(owed, currency) } : {}),
});
