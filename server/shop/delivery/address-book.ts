import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { maxAddresses, type PostalAddress } from '../../../contract/delivery/address-format.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { Db } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import type { Shop } from '../shop.ts';
import { lockCustomer } from '../users/account-lock.ts';
import { listMissing, parseAddress, requireWhole } from './stored-address.ts';

/** A user's addresses, the newest first. */
export async function listAddresses(db: Db, userId: string): Promise<(PostalAddress & { _id: string })[]> {
  const rows = await db
    .selectFrom('address')
    .select(['id', 'value'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ id, value }) => ({ ...parseAddress(value), _id: id }));
}

/** Adds an address and returns its id. Throws 422 if a part is missing; 409 if the address book is full. */
export async function addAddress(
  { database }: Shop,
  userId: string,
  address: PostalAddress,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  requireWhole(listMissing(address));
  const id = uuidv7();
  return runIdempotently(database, idempotencyKey, id, async (tx) => {
    // Otherwise two requests could each see room for one more address.
    await lockCustomer(tx, userId);
    const { numAffectedRows } = await sql`
      insert into address (id, user_id, value)
      select ${id}, ${userId}, ${JSON.stringify(address)}
      where (select count(*) from address where user_id = ${userId}) < ${maxAddresses}`.execute(tx);
    if (numAffectedRows === 1n) return;
    const detail = `Your address book is full: it has ${maxAddresses} addresses. Remove one first.`;
    throw new ShopError('address_book_full', detail);
  });
}

/** Replaces an address; returns 0 if it is the same. Throws 404 if the user has no such address; 422 if a part is missing. */
export async function changeAddress(
  { database: { db } }: Shop,
  userId: string,
  id: string,
  address: PostalAddress,
): Promise<number> {
  requireWhole(listMissing(address));
  const value = JSON.stringify(address);
  const own = db.updateTable('address').where('id', '=', id).where('user_id', '=', userId);
  const { numUpdatedRows } = await own.set({ value }).where('value', '!=', value).executeTakeFirst();
  if (numUpdatedRows === 1n) return 1;
  const known = await db
    .selectFrom('address')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (!known) throw notFound('address');
  return 0;
}

/** Throws 404 if the user has no such address. */
export async function removeAddress({ database: { db } }: Shop, userId: string, id: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('address')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('address');
  return 1;
}
