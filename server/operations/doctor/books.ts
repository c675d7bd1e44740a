import type Stripe from 'stripe';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/database.ts';
import { listPending } from '../../database/migrate.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { compareBooks } from '../../shop/payments/books.ts';
import { attempt, listFirst, type Report } from './report.ts';

/** Checks that the shop and Stripe agree on what the newest payments have brought in. Read-only. */
export async function checkBooks({ database }: Config, stripe: Stripe, report: Report): Promise<void> {
  await using db = connect<Schema>(database).db;
  const id = await attempt(findShopId(db));
  // `checkDatabase` reports a database that cannot be read or is not migrated.
  if ('failed' in id || !id.value) return;
  const books = await attempt(compareBooks(db, id.value, stripe));
  if ('failed' in books)
    return report.warn(
      `Books: Stripe does not let this key read refunds and disputes (${books.failed}).`,
      'Allow it to read them, so that the shop learns of those made at Stripe.',
    );
  const { payments, different } = books.value;
  if (different.length > 0)
    report.error(
      `Books: ${different.length} of the newest payments have a different balance at Stripe: ${listFirst(different)}.`,
      'Run this again in a few minutes: a payment or refund may be under way. If they still differ, compare each in Stripe’s dashboard with its order.',
    );
  else report.ok(`Books: the newest payments (${payments}) have the same balance here and at Stripe.`);
}

/** Undefined while the database is empty or not migrated. */
async function findShopId(db: Db): Promise<string | undefined> {
  if ((await listPending(db)).length > 0) return undefined;
  const row = await db.selectFrom('setting').select('value').where('name', '=', 'shop id').executeTakeFirst();
  return row?.value;
}
