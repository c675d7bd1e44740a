import { formatAddress } from '../../../contract/delivery/address-format.ts';
import type { LetterBlock } from '../../../contract/mail.ts';
import { formatPrice } from '../../config/currency.ts';
import type { Db } from '../../database/schema.ts';
import { parseAddress } from '../delivery/stored-address.ts';
import type { PurchaseOrders } from '../orders/purchases.ts';
import type { Shop } from '../shop.ts';

/** How a purchase is sent, and what is paid for that; nothing before a rate is chosen. Dates are such as 2026-12-24. */
export type MailedDelivery = {
  charges: { label: string; amount: number }[];
  from: string | null;
  to: string | null;
  remark: string | null;
  /** The lines of the address for the invoice, if it is another one. */
  billTo: string | null;
};

/** Saving the checkout advances the version, so a purchase with version 1 has nothing. */
export async function readDelivery(
  db: Db,
  [{ purchase_id, version }]: PurchaseOrders,
): Promise<MailedDelivery> {
  const rows =
    version === 1
      ? []
      : await db
          .selectFrom('charge')
          .innerJoin('purchase', 'purchase.id', 'charge.purchase_id')
          .select(['label', 'amount', 'arrives_from', 'arrives_to', 'remark', 'bill_to'])
          .where('purchase_id', '=', purchase_id)
          .execute();
  const { arrives_from: from = null, arrives_to: to = null, remark = null, bill_to = null } = rows[0] ?? {};
  const billTo = bill_to === null ? null : formatAddress(parseAddress(bill_to)).join('\n');
  return { charges: rows.map(({ label, amount }) => ({ label, amount })), from, to, remark, billTo };
}

type Totals = Extract<LetterBlock, { block: 'lines' }>['totals'];

/** The lines between the tools and the total: the goods and each charge. Without a charge, none. */
export function describeCharges(
  shop: Shop,
  [{ purchase_total, currency }]: PurchaseOrders,
  { charges }: MailedDelivery,
): Totals {
  if (charges.length === 0) return [];
  const goods = charges.reduce((sum, { amount }) => sum - amount, purchase_total);
  return [
    { label: 'Goods', amount: formatPrice(shop, goods, currency) },
    ...charges.map(({ label, amount }) => ({
      label: `Delivery (${label})`,
      amount: formatPrice(shop, amount, currency),
    })),
  ];
}

/** When the parcel was promised to arrive. */
export function describeArrival({ from, to }: MailedDelivery): { label: string; value: string }[] {
  if (from === null || to === null) return [];
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return [{ label: 'Arrives', value: format.formatRange(new Date(from), new Date(to)) }];
}
