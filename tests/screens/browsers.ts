import type { TestUser } from '../support/requests.ts';
import type { TestShop } from '../support/shop.ts';

export const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/147.0.0.0 Safari/537.36';
export const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
export const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1';

/** Changes stored properties of a person's session. */
export async function updateSession(
  { database }: TestShop,
  { token }: TestUser,
  values: { userAgent?: string; createdAt?: Date },
): Promise<void> {
  const [name = ''] = token.split('.');
  await database.db.updateTable('session').set(values).where('token', '=', name).execute();
}
