import { wrongSetting } from '../../contract/errors.ts';
import type { Database } from './database.ts';

const currencySetting = 'currency';

/**
 * Records the currency of the prices. Throws if the products have prices in another currency. Changing SHOP_CURRENCY converts
 * nothing: 12.50 USD would become 12.50 EUR.
 */
export async function claimCurrency({ db }: Database, currency: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name: currencySetting, value: currency })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  // Without products, there are no prices to confirm.
  const updated = await db
    .updateTable('setting')
    .set({ value: currency })
    .where('name', '=', currencySetting)
    .where((where) =>
      where.or([
        where('value', '=', currency),
        where.not(where.exists(where.selectFrom('product').select('id'))),
      ]),
    )
    .executeTakeFirst();
  if (updated.numUpdatedRows > 0n) return;
  const recorded = await db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', currencySetting)
    .executeTakeFirstOrThrow();
  throw wrongSetting(
    `SHOP_CURRENCY is ${currency}, but the prices in this database are in ${recorded.value}: set SHOP_CURRENCY to ${recorded.value}, or confirm that the same numbers are prices in ${currency} with npm run confirm-currency -- ${currency}.`,
  );
}

/** Records that the prices are in `currency`, so that the shop starts. Returns the previous currency. */
export async function confirmCurrency({ db }: Database, currency: string): Promise<string | undefined> {
  return db.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom('setting')
      .select('value')
      .where('name', '=', currencySetting)
      .executeTakeFirst();
    await tx
      .insertInto('setting')
      .values({ name: currencySetting, value: currency })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: currency }))
      .execute();
    return before?.value;
  });
}
