import { randomBytes } from 'node:crypto';
import { ShopError } from '../../contract/errors.ts';
import type { Database } from './database.ts';

type Mode = 'sandbox' | 'live';

/**
 * Records in a new database whether it is for sandbox or live use, and returns the shop's id. Throws if the database was
 * created in the other mode: payments of the stand-in and of the real provider must never share a database.
 */
export async function claimDatabase({ db }: Database, mode: Mode): Promise<string> {
  const values = [
    { name: 'mode', value: mode },
    { name: 'shop id', value: `shop_${randomBytes(12).toString('hex')}` },
  ];
  await db
    .insertInto('setting')
    .values(values)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const rows = await db.selectFrom('setting').selectAll().execute();
  const recorded = rows.find(({ name }) => name === 'mode')?.value;
  if (recorded !== mode) {
    throw new ShopError(
      'bad_setting',
      mode === 'live'
        ? 'This database was made in the sandbox, but the settings are live: set DATA_DIR or DATABASE_URL to another location.'
        : 'This database is a live shop’s, but no STRIPE_* key is set: set them, or set DATA_DIR or DATABASE_URL to another location.',
    );
  }
  return rows.find(({ name }) => name === 'shop id')?.value ?? '';
}
