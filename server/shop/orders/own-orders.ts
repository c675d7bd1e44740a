import type { OwnOrder } from '../../../contract/orders/order-list.ts';
import type { Db } from '../../database/schema.ts';
import { listChargeRows, toCharge } from '../delivery/read-checkout.ts';
import { toOrder } from './orders.ts';
import type { OrderRow } from './queries.ts';

/** Maps a customer's list to the wire, each order with what its purchase has besides orders. */
export async function toOwnOrders(db: Db, orders: readonly OrderRow[]): Promise<OwnOrder[]> {
  const sent = new Set(orders.filter(({ rate }) => rate !== null).map(({ purchase_id }) => purchase_id));
  const rows = sent.size > 0 ? await listChargeRows(db, [...sent]) : [];
  const charges = Map.groupBy(rows, ({ purchase_id }) => purchase_id);
  return orders.map((order) => {
    const own = charges.get(order.purchase_id);
    const { arrives_from: from, arrives_to: to, pickup, currency } = order;
    return {
      ...toOrder(order),
      ...(own ? { charges: own.map((row) => toCharge(row, currency)) } : {}),
      ...(pickup === null ? {} : { pickup }),
      ...(from === null || to === null ? {} : { arrives: { from, to } }),
    };
  });
}
