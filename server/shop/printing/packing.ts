import { isSameCustomsArea } from '../../../contract/delivery/countries.ts';
import { isDeliverySetUp } from '../../../contract/delivery/rates.ts';
import type { PrintedLine, PrintedPurchase } from '../../../contract/orders/printing.ts';
import { toWire } from '../../config/currency.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { countLeft, isToShip, type OrderRow } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';

type Packing = NonNullable<PrintedLine['packing']>;

/** For admins who pack orders: facts about the products by id, and the country that the shop sends from. */
export type PackingFacts = { shipsFrom: string; products: Map<string, Packing> };

/** Returns undefined for customers, and as long as the shop has no delivery rates. */
export async function readPackingFacts(
  shop: Shop,
  viewer: SessionUser,
  orders: readonly OrderRow[],
): Promise<PackingFacts | undefined> {
  if (viewer.role !== 'admin' || orders.length === 0) return undefined;
  const shipping = await shop.readShownShipping();
  if (!isDeliverySetUp(shipping)) return undefined;
  const rows = await shop.database.db
    .selectFrom('product')
    .select(['id', 'shelf', 'weight', 'hs_code', 'origin'])
    .where(
      'id',
      'in',
      orders.map(({ product_id }) => product_id),
    )
    .execute();
  const products = rows.map(({ id, shelf, weight, hs_code, origin }): [string, Packing] => [
    id,
    {
      ...(shelf ? { shelf } : {}),
      ...(weight === null ? {} : { weight }),
      ...(hs_code ? { hsCode: hs_code } : {}),
      ...(origin ? { origin } : {}),
    },
  ]);
  return { shipsFrom: shipping.shipsFrom, products: new Map(products) };
}

/** The most that a parcel with a CN 22 weighs, in grams. */
const maxLightWeight = 2000;

/**
 * 300 special drawing rights in wire amounts, as postal services publish it: Royal Mail, Austrian Post, the US Postal Service. In other
 * currencies, the parcel gets a CN 23, which is accepted for any value.
 */
const maxLightValue: Readonly<Record<string, number>> = { GBP: 270, EUR: 359, USD: 400 };

/**
 * The customs declaration for the pieces that are left to ship. The Universal Postal Union has two (WCO-UPU Postal Customs Guide,
 * sections on CN 22 and CN 23): the CN 22 is for up to 300 special drawing rights and 2 kg.
 */
export function describeCustoms(
  orders: readonly OrderRow[],
  country: string,
  { shipsFrom, products }: PackingFacts,
  currency: string,
): Pick<PrintedPurchase, 'customs'> {
  const left = orders.filter(isToShip);
  if (left.length === 0 || isSameCustomsArea(shipsFrom, country)) return {};
  const minor = left.reduce((sum, order) => sum + (order.total / order.quantity) * countLeft(order), 0);
  const weight = left.reduce(
    (sum, order) => sum + (products.get(order.product_id)?.weight ?? 0) * countLeft(order),
    0,
  );
  const value = toWire(minor, currency);
  const isLight = weight <= maxLightWeight && value <= (maxLightValue[currency] ?? 0);
  return { customs: { form: isLight ? 'CN22' : 'CN23', value } };
}
