import type { Selectable } from 'kysely';
import { adjustmentReason } from '../../contract/catalogue/stock.ts';
import type { Schema } from '../../server/database/schema.ts';

/* Checks the stock of a shop and its history. Each function returns a sentence per discrepancy. */

type StockBooks = {
  products: Selectable<Schema['product']>[];
  orders: Selectable<Schema['order_line']>[];
  stockChanges: Selectable<Schema['stock_change']>[];
};

/** Opening stock + adjustments by admins = available + held + sold − returned by refunds. */
export function auditStock(
  { products, orders, stockChanges }: StockBooks,
  opening: Map<string, { stock: number }>,
): string[] {
  const byProduct = Map.groupBy(orders, ({ product_id }) => product_id);
  const adjusted = Map.groupBy(
    // Changes of orders are left out: an order's `returned` counts the pieces that came back.
    stockChanges.filter(
      ({ reason, order_id }) => order_id === null && adjustmentReason.safeParse(reason).success,
    ),
    ({ product_id }) => product_id,
  );
  return products.flatMap(({ id, available }) => {
    const taken = (byProduct.get(id) ?? [])
      .filter(({ status }) => status !== 'expired')
      .reduce((sum, { quantity, returned }) => sum + quantity - returned, 0);
    const stock = opening.get(id)?.stock;
    const added = sumChanges(adjusted.get(id) ?? []);
    return available + taken - added === stock
      ? []
      : [
          `product ${id} had ${stock} pieces; ${added} were added, ${available} are available, ${taken} held or sold`,
        ];
  });
}

const sumChanges = (rows: readonly { change: number }[]): number =>
  rows.reduce((sum, { change }) => sum + change, 0);

/**
 * The changes of a product's stock are numbered without a gap. Each level is the level before plus the change, and the last level
 * is the stock. If the history has an order's sale, the changes of that order add up to the pieces that it holds or has sold.
 */
export function auditStockHistory({ products, orders, stockChanges }: StockBooks): string[] {
  const discrepancies: string[] = [];
  const byProduct = Map.groupBy(stockChanges, ({ product_id }) => product_id);
  for (const { id, available, stock_seq } of products) {
    const rows = (byProduct.get(id) ?? []).toSorted((a, b) => a.seq - b.seq);
    byProduct.delete(id);
    let level = 0;
    for (const [index, row] of rows.entries()) {
      level += row.change;
      if (row.seq !== index + 1 || row.level !== level)
        discrepancies.push(
          `change ${row.seq} of product ${id}, number ${index + 1}, leads to ${row.level}, not ${level}`,
        );
    }
    if (level !== available || rows.length !== stock_seq)
      discrepancies.push(
        `product ${id} has ${available} pieces after ${stock_seq} changes; ${rows.length} changes lead to ${level}`,
      );
  }
  for (const id of byProduct.keys()) discrepancies.push(`the deleted product ${id} still has stock changes`);
  const existing = new Set(products.map(({ id }) => id));
  const byOrder = Map.groupBy(stockChanges, ({ order_id }) => order_id);
  for (const { id, product_id, status, quantity, returned } of orders) {
    const rows = byOrder.get(id) ?? [];
    if (!existing.has(product_id) || !rows.some(({ reason }) => reason === 'sale')) continue;
    const taken = status === 'expired' ? 0 : quantity - returned;
    if (sumChanges(rows) !== -taken)
      discrepancies.push(`order ${id} has taken ${taken} pieces, but its changes are ${sumChanges(rows)}`);
  }
  return discrepancies;
}
