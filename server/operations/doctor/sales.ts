import type { Db } from '../../database/schema.ts';
import { compareSales } from '../../shop/sales/compare-sales.ts';
import { listFirst, type Report } from './report.ts';

/** Checks that the overview's totals match the orders. Read-only. */
export async function checkSales(db: Db, timeZone: string, report: Report): Promise<void> {
  const different = await compareSales(db, timeZone);
  if (different.length === 0) return report.ok('Sales: the daily totals match the orders.');
  report.warn(
    `Sales: the daily totals differ from the orders: ${listFirst(different)}.`,
    'The running shop checks one day after another and corrects wrong totals. Run this again tomorrow.',
  );
}
