import type { Product } from '../../contract/catalogue/products.ts';
import { confirmIntent, openPurchasePayment, placePurchase, reportPaid } from './payments.ts';
import { catchProblem } from './problem.ts';
import type { TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

/**
 * A purchase that is charged in time but expires, because the shop does not know its payment, as after a restore. Afterwards, the
 * shop knows the payment again, unless `isLost` is set. The shop has no webhooks.
 */
export async function expireCharged(
  shop: TestShop,
  person: TestUser,
  lines: [product: Product, quantity: number][],
  { isLost = false } = {},
) {
  const { db } = shop.database;
  const purchase = await placePurchase(shop, person, lines);
  const intent = await openPurchasePayment(shop, person, purchase);
  await confirmIntent(shop, intent);
  const isOwn = ['purchase_id', '=', purchase._id] as const;
  const payment = await db
    .deleteFrom('payment')
    .where(...isOwn)
    .returningAll()
    .executeTakeFirstOrThrow();
  const { _id: id } = purchase;
  await db.updateTable('purchase').set({ hold_until: Date.now() }).where('id', '=', id).execute();
  const isExpired = async () =>
    (await shop.client(person).call('getPurchase', { params: { id } })).orders[0]?.orderStatus === 'expired';
  while (!(await isExpired())) await shop.doPeriodicWork();
  if (!isLost)
    await db
      .insertInto('payment')
      .values({ ...payment, state: 'cancelled' })
      .execute();
  const [order] = purchase.orders;
  if (!order) throw new Error('The purchase has no order.');
  return { purchase, order, intent, report: () => reportPaid(shop, person, order, intent) };
}

/** Like `expireCharged`, but the payment is found after somebody else has bought the product's last pieces. */
export async function loseStock(shop: TestShop, person: TestUser) {
  const product = await shop.addProduct({ a_quantity: 2 });
  const late = await expireCharged(shop, person, [[product, 2]]);
  const other = await shop.signUp();
  await placePurchase(shop, other, [[product, 2]]);
  await catchProblem(late.report());
  return { ...late, product, other };
}
