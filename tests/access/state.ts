import type { TestShop } from '../support/shop.ts';

/** The rows of the tables that most calls change, except expired sessions, which any request may delete. */
export async function readState({ database: { db } }: TestShop): Promise<unknown> {
  const sessions = await db
    .selectFrom('session')
    .select(['id', 'expiresAt', 'userId'])
    .orderBy('id')
    .execute();
  return Promise.all([
    sessions.filter(({ expiresAt }) => new Date(expiresAt).getTime() > Date.now()),
    db.selectFrom('product').selectAll().orderBy('id').execute(),
    db.selectFrom('further_image').selectAll().orderBy('product_id').orderBy('position').execute(),
    db.selectFrom('orders').selectAll().orderBy('id').execute(),
    db.selectFrom('purchase').selectAll().orderBy('id').execute(),
    db.selectFrom('basket_line').selectAll().orderBy('user_id').orderBy('product_id').execute(),
    db.selectFrom('back_in_stock').selectAll().orderBy('user_id').orderBy('product_id').execute(),
    db.selectFrom('review').selectAll().orderBy('id').execute(),
    db.selectFrom('payment').selectAll().orderBy('id').execute(),
    db.selectFrom('user').selectAll().orderBy('id').execute(),
    db.selectFrom('audit').selectAll().orderBy('id').execute(),
    db.selectFrom('account').selectAll().orderBy('id').execute(),
    db.selectFrom('picture').select('id').orderBy('id').execute(),
  ]);
}
