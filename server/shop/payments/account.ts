import type { Shop } from '../shop.ts';

/** The name of the setting with the id of the provider's account that took the first payment. The doctor compares it. */
export const accountSetting = 'payment account';

/** Records the provider's account once, if the key may read it. Throws `ShopError`. */
export async function recordAccount({ database: { db }, provider }: Shop): Promise<void> {
  const recorded = db.selectFrom('setting').select('value').where('name', '=', accountSetting);
  if (await recorded.executeTakeFirst()) return;
  const value = await provider.findAccountId();
  if (value === undefined) return;
  await db
    .insertInto('setting')
    .values({ name: accountSetting, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}
