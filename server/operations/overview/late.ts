import { sql } from 'kysely';
import { maxCount } from '../../../contract/admin/health-format.ts';
import type { Overview } from '../../../contract/admin/overview.ts';
import type { Database } from '../../database/database.ts';
import { isIn } from '../../database/is-in.ts';
import { toShipCondition } from '../../shop/orders/queries.ts';

const shownPurchases = 10;

/**
 * The purchases with pieces to ship that had to be sent before `today`, such as 2026-12-24, to arrive as promised. Looks at the
 * orders that have waited longest. Two statements, because PostgreSQL might read all purchases for a join.
 */
export async function readLate({ db, engine }: Database, today: string): Promise<Pick<Overview, 'late'>> {
  const waiting = await sql<{ purchase_id: string }>`select distinct purchase_id from (
      select purchase_id from order_line where ${toShipCondition()} order by id limit ${sql.lit(maxCount)}
    ) as unshipped where exists (select 1 from charge)`.execute(db);
  const ids = waiting.rows.map(({ purchase_id }) => purchase_id);
  if (ids.length === 0) return {};
  const late = await db
    .selectFrom('purchase')
    .select(['number', 'send_by', 'arrives_to'])
    .where(isIn(engine, sql.ref('id'), ids))
    .where('send_by', '<', today)
    .orderBy('send_by')
    .orderBy('number')
    .execute();
  if (late.length === 0) return {};
  const first = late.slice(0, shownPurchases).map(({ number, send_by, arrives_to }) => ({
    number,
    sendBy: send_by ?? '',
    promised: arrives_to ?? '',
  }));
  return { late: { purchases: late.length, first } };
}
