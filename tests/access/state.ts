import type { TestShop } from '../support/shop.ts';

/** All that a request may change. */
export async function readState({ database: { db } }: TestShop): Promise<unknown> {
  return Promise.all([
    db.selectFrom('product').selectAll().orderBy('id').execute(),
    db.selectFrom('orders').selectAll().orderBy('id').execute(),
    db.selectFrom('review').selectAll().orderBy('id').execute(),
    db.selectFrom('payment').selectAll().orderBy('id').execute(),
    db.selectFrom('user').selectAll().orderBy('id').execute(),
    db.selectFrom('session').selectAll().orderBy('id').execute(),
    db.selectFrom('account').selectAll().orderBy('id').execute(),
    db.selectFrom('picture').select('id').orderBy('id').execute(),
  ]);
}
