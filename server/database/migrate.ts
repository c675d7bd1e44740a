import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { ShopError, wrongSetting } from '../../contract/errors.ts';
import { codeOf, isConflict } from './errors.ts';
import { limitLockWait } from './index-migration.ts';
import { up as identity } from './migrations/001-identity.ts';
import { up as shop } from './migrations/002-shop.ts';
import { up as indexes } from './migrations/003-indexes.ts';
import { up as audit } from './migrations/004-audit.ts';
import { up as health } from './migrations/005-health.ts';
import { up as auditAppendOnly } from './migrations/006-audit-append-only.ts';
import { up as hiddenReviews } from './migrations/007-hidden-reviews.ts';
import { up as refunds } from './migrations/008-refunds.ts';
import { up as purchases } from './migrations/009-purchases.ts';
import {
  up as earlierPurchases,
  prepare as prepareEarlierPurchases,
} from './migrations/010-earlier-purchases.ts';
import { up as orderRefunds } from './migrations/011-order-refunds.ts';
import { up as productEditing } from './migrations/012-product-editing.ts';
import { up as auditDetails } from './migrations/013-audit-details.ts';
import { prepare as prepareUserSearch, up as userSearch } from './migrations/014-user-search.ts';
import { prepare as prepareStockHistory, up as stockHistory } from './migrations/015-stock-history.ts';
import { prepare as prepareProductSearch, up as productSearch } from './migrations/016-product-search.ts';
import { up as orderSearch, prepare as prepareOrderSearch } from './migrations/017-order-search.ts';
import { up as shipping } from './migrations/018-shipping.ts';
import { up as salesByDay } from './migrations/019-sales-by-day.ts';
import { up as productImages } from './migrations/020-product-images.ts';
import { up as salesByPeriod } from './migrations/021-sales-by-period.ts';
import { up as trackingSearch } from './migrations/022-tracking-search.ts';
import { up as listSpeed } from './migrations/023-list-speed.ts';
import { up as mail } from './migrations/024-mail.ts';
import { up as adminMail } from './migrations/025-admin-mail.ts';
import { up as accountData, prepare as prepareAccountData } from './migrations/026-account-data.ts';
import { up as twoFactor } from './migrations/027-two-factor.ts';
import { up as addressChange } from './migrations/028-address-change.ts';
import { up as search } from './migrations/029-search.ts';
import { up as productRating } from './migrations/030-product-rating.ts';
import { up as productSorting } from './migrations/031-product-sorting.ts';
import { up as productReviews } from './migrations/032-product-reviews.ts';
import { up as reviewReporters } from './migrations/033-review-reporters.ts';
import { up as backInStock } from './migrations/034-back-in-stock.ts';
import { up as formerAddresses } from './migrations/035-former-addresses.ts';
import { up as waitingMail } from './migrations/036-waiting-mail.ts';
import { up as passkeys } from './migrations/037-passkeys.ts';
import { up as searchedNames } from './migrations/038-searched-names.ts';
import { up as ordersToShip, prepare as prepareOrdersToShip } from './migrations/039-orders-to-ship.ts';
import { up as lowStock, prepare as prepareLowStock } from './migrations/040-low-stock.ts';
import { up as refundedPieces } from './migrations/041-refunded-pieces.ts';
import type { Db, Engine, Tx } from './schema.ts';

export type Migration = {
  name: string;
  /** Does most of the work ahead of `up`, in transactions of its own, so that no lock lasts long. Can be repeated. */
  prepare?: (db: Db, engine: Engine) => Promise<void>;
  up: (db: Db, engine: Engine) => Promise<void>;
};

/** In order. A released migration never changes, and migrations only add (`docs/decisions/012-migrations-that-only-add.md`). */
export const migrations: readonly Migration[] = [
  { name: '001-identity', up: identity },
  { name: '002-shop', up: shop },
  { name: '003-indexes', up: indexes },
  { name: '004-audit', up: audit },
  { name: '005-health', up: health },
  { name: '006-audit-append-only', up: auditAppendOnly },
  { name: '007-hidden-reviews', up: hiddenReviews },
  { name: '008-refunds', up: refunds },
  { name: '009-purchases', up: purchases },
  { name: '010-earlier-purchases', prepare: prepareEarlierPurchases, up: earlierPurchases },
  { name: '011-order-refunds', up: orderRefunds },
  { name: '012-product-editing', up: productEditing },
  { name: '013-audit-details', up: auditDetails },
  { name: '014-user-search', prepare: prepareUserSearch, up: userSearch },
  { name: '015-stock-history', prepare: prepareStockHistory, up: stockHistory },
  { name: '016-product-search', prepare: prepareProductSearch, up: productSearch },
  { name: '017-order-search', prepare: prepareOrderSearch, up: orderSearch },
  { name: '018-shipping', up: shipping },
  { name: '019-sales-by-day', up: salesByDay },
  { name: '020-product-images', up: productImages },
  { name: '021-sales-by-period', up: salesByPeriod },
  { name: '022-tracking-search', up: trackingSearch },
  { name: '023-list-speed', up: listSpeed },
  { name: '024-mail', up: mail },
  { name: '025-admin-mail', up: adminMail },
  { name: '026-account-data', prepare: prepareAccountData, up: accountData },
  { name: '027-two-factor', up: twoFactor },
  { name: '028-address-change', up: addressChange },
  { name: '029-search', up: search },
  { name: '030-product-rating', up: productRating },
  { name: '031-product-sorting', up: productSorting },
  { name: '032-product-reviews', up: productReviews },
  { name: '033-review-reporters', up: reviewReporters },
  { name: '034-back-in-stock', up: backInStock },
  { name: '035-former-addresses', up: formerAddresses },
  { name: '036-waiting-mail', up: waitingMail },
  { name: '037-passkeys', up: passkeys },
  { name: '038-searched-names', up: searchedNames },
  { name: '039-orders-to-ship', prepare: prepareOrdersToShip, up: ordersToShip },
  { name: '040-low-stock', prepare: prepareLowStock, up: lowStock },
  { name: '041-refunded-pieces', up: refundedPieces },
];

/** Runs the pending migrations, each in its own transaction. Throws if the database is newer than the code. */
export async function migrate(db: Db, engine: Engine, steps = migrations): Promise<void> {
  await createTable(db).catch(() => createTable(db));
  for (const step of await listPending(db, steps)) {
    await retryWhileLocked(async () => step.prepare?.(db, engine));
    await retryWhileLocked(() =>
      db.transaction().execute(async (tx) => {
        if (!(await claim(tx, step))) return;
        await limitLockWait(tx, engine);
        await step.up(tx, engine);
      }),
    );
  }
}

/** For a restore: runs the pending migrations, or those of the given names, within a transaction. */
export async function migrateWithin(tx: Tx, engine: Engine, only?: readonly string[]): Promise<void> {
  await createTable(tx);
  for (const step of await listPending(tx))
    if ((!only || only.includes(step.name)) && (await claim(tx, step))) await step.up(tx, engine);
}

/** Needs no advisory lock: a second process waits for the row until the first has finished. */
async function claim(tx: Tx, { name }: Migration): Promise<boolean> {
  const inserted = await tx
    .insertInto('migration')
    .values({ name, applied_at: Date.now() })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

const lockNotAvailable = '55P03';
const maxLockWaitMs = 60_000;

/** Retries while another transaction locks a table that `run` changes. */
async function retryWhileLocked(run: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + maxLockWaitMs; ; ) {
    try {
      return await run();
    } catch (cause) {
      if (!isConflict(cause) && codeOf(cause) !== lockNotAvailable) throw cause;
      if (Date.now() > end) {
        const sentence = 'Cannot migrate: another program locks a table. Start again once it has finished.';
        throw new ShopError('bad_setting', sentence, { cause });
      }
      await setTimeout(500);
    }
  }
}

export async function listApplied(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('migration').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** Throws if the database is newer than the code. */
export async function listPending(db: Db, steps = migrations): Promise<Migration[]> {
  const applied = await listApplied(db);
  const unknown = findUnknownMigration(applied, steps);
  if (unknown)
    throw wrongSetting(
      `The database has a migration (${unknown}) that this release does not know: start the newer release, or restore a backup from before the upgrade into another location.`,
    );
  return steps.filter(({ name }) => !applied.includes(name));
}

export function findUnknownMigration(names: readonly string[], steps = migrations): string | undefined {
  return names.find((name) => !steps.some((known) => known.name === name));
}

/** On PostgreSQL this can fail, even with `if not exists`, if two processes run it at the same moment. */
async function createTable(db: Db): Promise<void> {
  const create = sql`create table if not exists migration (name text primary key, applied_at bigint not null)`;
  await create.execute(db);
}
