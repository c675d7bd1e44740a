import { useState } from 'react';
import type { OrderSums } from '../../../../../contract/orders/order-list.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { getSession } from '../../../../client/session.ts';
import { usePolling } from '../../use-polling.ts';
import { type OrderQuery, toParameters } from './order-query.ts';

type List = {
  query: OrderQuery;
  rows: readonly Order[];
  /** As loaded with the page. */
  sums: OrderSums;
  isOn: boolean;
  /** Called with the orders to show instead of rows that have changed. */
  onChange: (orders: readonly Order[]) => void;
  /** Called with rows that have left the list: a colleague may have shipped them. */
  onLeave: (orders: readonly Order[]) => void;
  /** Called if the list was empty: no row can move. */
  reload: () => void;
};

/**
 * Refreshes a list like the overview, without moving a row: it must not move under the pointer. Returns its count and sum, and the
 * number of orders that the next load would add.
 */
export function useFreshList({ query, rows, sums: loaded, isOn, onChange, onLeave, reload }: List) {
  const [fresh, setFresh] = useState<{ loaded: OrderSums; sums: OrderSums; added: number }>();
  // Loading the list again starts over.
  const { sums, added } = fresh?.loaded === loaded ? fresh : { sums: loaded, added: 0 };
  usePolling(async (signal) => {
    const { client } = getSession();
    const parameters = toParameters(query);
    const read = await client.call('sumOrders', { query: parameters, signal });
    if (signal.aborted || JSON.stringify(read) === JSON.stringify(sums)) return;
    if (rows.length === 0) return reload();
    const limit = Math.max(rows.length, 50);
    const listed = await client.call('listAllOrders', { query: { ...parameters, limit }, signal });
    if (signal.aborted) return;
    const shown = new Set(rows.map(({ _id }) => _id));
    const found = new Set(listed.map(({ _id }) => _id));
    setFresh({ loaded, sums: read, added: listed.filter(({ _id }) => !shown.has(_id)).length });
    onChange(listed.filter(({ _id }) => shown.has(_id)));
    // A full page may have been cut off before them.
    const left =
      listed.length < limit
        ? rows.filter(({ _id, orderStatus }) => orderStatus === 'paid' && !found.has(_id))
        : [];
    if (left.length > 0) onLeave(left);
  }, isOn);
  return { sums, added };
}
