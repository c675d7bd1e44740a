import type { Db } from '../../database/schema.ts';
import { compareSales } from '../../shop/sales/compare-sales.ts';
import type { Report } from './report.ts';

const maxShown = 5;

/** Checks that the totals on the overview are the sums of the orders. Read-only. */
export async function checkSales(db: Db, report: Report): Promise<void> {
  const different = await compareSales(db);
  if (different.length === 0) return report.ok('Sales: the totals by day are the sums of the orders.');
  report.warn(
    `Sales: the totals differ from the orders: ${different.slice(0, maxShown).join(', ')}${different.length > maxShown ? ', …' : ''}.`,
    'The running shop checks every day in turn and counts it again if it differs. Run this again tomorrow.',
  );
}
