import type Stripe from 'stripe';
import type { Config } from '../../config/config.ts';
import { connect } from '../../database/database.ts';
import { listPending } from '../../database/migrate.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { compareBalances } from '../../shop/payments/compare-balances.ts';
import { attempt, listFirst, type Report } from './report.ts';

/**
 * Checks that the keys belong to the account that took the payments, and that the shop and Stripe agree on the amounts of the
 * newest payments. `account` is the keys' account, if they may read it. Read-only.
 */
export async function checkBalances(
  { database }: Config,
  stripe: Stripe,
  account: string | undefined,
  report: Report,
): Promise<void> {
  await using db = connect<Schema>(database).db;
  const found = await attempt(readIds(db));
  // `checkDatabase` reports a database that cannot be read or is not migrated.
  if ('failed' in found || !found.value.shop) return;
  const { shop, account: recorded } = found.value;
  if (account !== undefined && recorded !== undefined && account !== recorded)
    return report.error(
      `Stripe: the keys belong to the account ${account}, but the payments in this database to ${recorded}.`,
      'Set the keys of that account, or set DATA_DIR or DATABASE_URL to another location.',
    );
  const balances = await attempt(compareBalances(db, shop, stripe));
  if ('failed' in balances)
    return report.warn(
      `Balances: Stripe does not let this key read refunds and disputes (${balances.failed}).`,
      'Allow it to read them, so that the shop learns of those made at Stripe.',
    );
  const { payments, different } = balances.value;
  if (different.length > 0)
    report.error(
      `Balances: ${different.length} of the newest payments have a different balance at Stripe: ${listFirst(different)}.`,
      'Run this again in a few minutes: a payment or refund may be under way. If they still differ, compare each in Stripe’s dashboard with its order.',
    );
  else report.ok(`Balances: the newest payments (${payments}) have the same balance here and at Stripe.`);
}

/** The ids of the shop and of the account with its newest payment. Undefined while the database is empty or not migrated. */
async function readIds(db: Db): Promise<{ shop?: string | undefined; account?: string | undefined }> {
  if ((await listPending(db)).length > 0) return {};
  const shop = await db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', 'shop id')
    .executeTakeFirst();
  const payment = await db
    .selectFrom('payment')
    .select('account')
    .where('state', '=', 'paid')
    .where('account', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { shop: shop?.value, account: payment?.account ?? undefined };
}
