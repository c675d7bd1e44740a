import { useState } from 'react';
import type { Order } from '../../../../../contract/orders/orders.ts';

/**
 * The rows of a list, with the orders that `update` was called with instead of those that were loaded. No row moves until the
 * list is loaded again.
 */
export function useRowsInPlace(loadedRows: Order[]) {
  const [loaded, setLoaded] = useState(loadedRows);
  const [updated, setUpdated] = useState<ReadonlyMap<string, Order>>(new Map());
  if (loaded !== loadedRows) {
    setLoaded(loadedRows);
    setUpdated(new Map());
  }
  return {
    rows: loadedRows.map((row) => updated.get(row._id) ?? row),
    update: (orders: readonly Order[]) =>
      setUpdated((before) => new Map([...before, ...orders.map((order) => [order._id, order] as const)])),
  };
}
