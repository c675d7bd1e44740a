import { useState } from 'react';
import type { OrderSums } from '../../../../../contract/orders/order-list.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { getSession } from '../../../../client/session.ts';
import { usePolling } from '../../use-polling.ts';
import { type OrderQuery, toParameters } from './order-query.ts';

type List = {
  query: OrderQuery;
  rows: readonly Order[];
  /** The count and the sum that were loaded with the page. */
  sums: OrderSums;
  isOn: boolean;
  /** Called with the current orders, which replace the rows with the same ids. */
  onChange: (orders: readonly Order[]) => void;
  /** Called with rows that have left the list: a colleague may have shipped them. */
  onLeave: (orders: readonly Order[]) => void;
  /** Called if the list was empty. Loading it again then moves no row. */
  reload: () => void;
};

/**
 * Refreshes a list while it is shown, like the overview. No row moves, because one could move under the pointer. Returns the
 * list's count and sum, and the number of orders that loading the list again would add.
 */
export function useFreshList({ query, rows, sums: loaded, isOn, onChange, onLeave, reload }: List) {
  const [fresh, setFresh] = useState<{ loaded: OrderSums; sums: OrderSums; added: number }>();
  // Once the list has been loaded again, earlier results no longer count.
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
    // If the response is a full page, the missing rows may be on the next one.
    const left =
      listed.length < limit
        ? rows.filter(({ _id, orderStatus }) => orderStatus === 'paid' && !found.has(_id))
        : [];
    if (left.length > 0) onLeave(left);
  }, isOn);
  return { sums, added };
}
