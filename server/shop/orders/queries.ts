import { type RawBuilder, type Selectable, sql } from 'kysely';
import { executePrepared } from '../../database/prepared-statements.ts';
import type { Db, Engine, Schema, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { nextVersion } from './version.ts';

type PurchaseRow = Selectable<Schema['purchase']>;

/** The columns are named, because prepared statements do not allow `*`. */
const lineColumns = [
  'id',
  'purchase_id',
  'user_id',
  'product_id',
  'product_name',
  'quantity',
  'total',
  'status',
  'created_at',
  'refunded',
  'refund_pending',
  'owed',
  'refunded_quantity',
  'removed',
  'returned',
  'still_send',
  'is_charged_back',
  'shipped',
  'shipped_at',
  'carrier',
  'tracking_number',
  'tracking_url',
] as const;

const purchaseColumns = [
  'number',
  'name',
  'phone',
  'address',
  'currency',
  'hold_until',
  'version',
  'unassigned',
  'charged_back',
  'paid_at',
  'transaction_id',
  'rate',
  'pickup',
  'arrives_from',
  'arrives_to',
] as const;

/**
 * An order with columns of its purchase. `email` is the customer's current address, '' once the account is deleted. SQLite
 * returns 0 or 1 for `disputed`.
 */
export type OrderRow = Pick<Selectable<Schema['order_line']>, (typeof lineColumns)[number]> &
  Pick<PurchaseRow, (typeof purchaseColumns)[number]> & {
    email: string;
    /** The total of the purchase: `purchase.total`. */
    purchase_total: number;
    disputed: boolean | number;
    /** The product's image; null once the product is deleted. */
    image: string | null;
  };

/** Lists orders, newest first: up to one more than `limit`, and only those of the customer `userId` if it is given. */
export async function listOrders(
  db: Db,
  page: { limit?: number | undefined; after?: string | undefined },
  userId?: string,
): Promise<OrderRow[]> {
  const conditions = [
    ...(userId === undefined ? [] : [sql`order_line.user_id = ${userId}`]),
    ...(page.after === undefined ? [] : [sql`order_line.id < ${page.after}`]),
  ];
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
  return readOrders(db, sql`${where} order by order_line.id desc limit ${toSqlLimit(page)}`);
}

export async function findOrder(db: Db | Tx, id: string): Promise<OrderRow | undefined> {
  const [order] = await readOrders(db, sql`where order_line.id = ${id}`);
  return order;
}

/** The orders with these ids that still exist. */
export async function listOrdersById(db: Db | Tx, ids: readonly string[]): Promise<OrderRow[]> {
  const { rows } = await selectOrders(sql`where order_line.id in (${sql.join(ids)})`).execute(db);
  return rows;
}

/** All orders of the purchases that have one of these orders, in the order of their lines. */
export async function listOrdersByPurchase(db: Db, orderIds: readonly string[]): Promise<OrderRow[]> {
  const purchases = sql`select purchase_id from order_line where id in (${sql.join(orderIds)})`;
  const { rows } = await selectOrders(
    sql`where purchase.id in (${purchases}) order by order_line.id`,
  ).execute(db);
  return rows;
}

/** The orders of a purchase, in the order of its lines; `by` is its id, its number or the id of one of its orders. */
export async function listPurchaseOrders(
  db: Db | Tx,
  by: { id: string } | { number: string } | { order: string },
): Promise<OrderRow[]> {
  const isWanted =
    'id' in by
      ? sql`purchase.id = ${by.id}`
      : 'number' in by
        ? sql`purchase.number = ${by.number}`
        : sql`purchase.id = (select purchase_id from order_line where id = ${by.order})`;
  return readOrders(db, sql`where ${isWanted} order by order_line.id`);
}

/**
 * For a query of `order_line`: the order is paid, has pieces that are neither shipped nor removed, is not charged back and, unless
 * an admin ships it anyway, is not refunded in full. The partial indexes `order_line_to_ship` and `order_line_to_ship_price` have
 * the same condition.
 */
export function toShipCondition(orders = 'order_line'): RawBuilder<boolean> {
  const column = (name: keyof Schema['order_line']) => sql.ref(`${orders}.${name}`);
  return sql`${column('status')} = 'paid' and ${column('shipped')} < ${column('quantity')} - ${column('removed')}
    and ${canBeSentCondition(orders)} and ${column('is_charged_back')} = 0`;
}

/** For a query of `order_line`: the order is not refunded in full, or an admin ships it anyway. */
export function canBeSentCondition(orders = 'order_line'): RawBuilder<boolean> {
  const column = (name: keyof Schema['order_line']) => sql.ref(`${orders}.${name}`);
  return sql`(${column('refunded')} < ${column('total')} or ${column('still_send')} = 1)`;
}

/** The same rule as `canBeSentCondition`. */
export const canBeSent = ({
  refunded,
  total,
  still_send,
}: Pick<OrderRow, 'refunded' | 'total' | 'still_send'>): boolean => refunded < total || still_send === 1;

/** How many pieces of an order are neither shipped nor removed (on the wire: `contract/orders/to-ship.ts`). */
export const countLeft = ({
  quantity,
  removed,
  shipped,
}: Pick<OrderRow, 'quantity' | 'removed' | 'shipped'>): number => quantity - removed - shipped;

/** The same rule as `toShipCondition` and, for an order on the wire, `contract/orders/to-ship.ts`. */
export const isToShip = (order: OrderRow): boolean =>
  order.status === 'paid' && countLeft(order) > 0 && canBeSent(order) && order.is_charged_back === 0;

const joinColumns = (table: string, columns: readonly string[]) =>
  sql.join(columns.map((column) => sql.ref(`${table}.${column}`)));

/** Selects orders with columns of their purchases. `rest` is the rest of the statement, from `where` on. */
export const selectOrders = (rest: RawBuilder<unknown>): RawBuilder<OrderRow> => sql`
  select ${joinColumns('order_line', lineColumns)}, ${joinColumns('purchase', purchaseColumns)},
    purchase.total as purchase_total,
    coalesce(customer.email, purchase.guest_email) as email,
    (select product.image from product where product.id = order_line.product_id) as image,
    exists (select 1 from dispute where dispute.purchase_id = purchase.id and dispute.is_open = 1) as disputed
  from order_line join purchase on purchase.id = order_line.purchase_id
    left join "user" as customer on customer.id = purchase.user_id ${rest}`;

/** Executes `selectOrders` as a prepared statement: `rest` has only a few texts, and one plan for each fits all values. */
async function readOrders(db: Db | Tx, rest: RawBuilder<unknown>): Promise<OrderRow[]> {
  return (await executePrepared(db, selectOrders(rest).compile(db))).rows;
}

/** Up to two of a customer's unpaid purchases with this total. */
export function listUnpaidPurchasesByTotal(
  db: Db,
  { user_id, total, currency }: Pick<PurchaseRow, 'user_id' | 'total' | 'currency'>,
): Promise<Pick<PurchaseRow, 'id'>[]> {
  return db
    .selectFrom('purchase')
    .select('id')
    .where('user_id', '=', user_id)
    .where('status', '=', '')
    .where('currency', '=', currency)
    .where('total', '=', total)
    .limit(2)
    .execute();
}

/** For a query of `purchase`: whether a payment for the purchase has been opened and not finished. */
export const hasOpenPayment = sql<boolean>`exists (
  select 1 from payment where payment.purchase_id = purchase.id and payment.state = 'open')`;

/**
 * The intent of a payment that was found after its purchase had expired. Undefined if there is none, or an admin has decided about
 * it.
 */
export async function findLatePayment(db: Db | Tx, purchaseId: string): Promise<string | undefined> {
  const payment = await db
    .selectFrom('payment')
    .select('intent')
    .where('purchase_id', '=', purchaseId)
    .where('state', '=', sql.lit('undecided'))
    .executeTakeFirst();
  return payment?.intent ?? undefined;
}

/**
 * Locks a purchase until the transaction ends. Everything that changes the payment or the orders of a purchase does this first;
 * products are locked after it, in the order of their ids. Returns the version of the purchase; undefined if it is gone.
 * SQLite has one writer at a time.
 *
 * After this, update the purchase only once per transaction. When a transaction updates a row for the second time, PostgreSQL also
 * locks the user that the row references. That could deadlock with the deletion of an account, which locks the user first.
 */
export async function lockPurchase(tx: Tx, engine: Engine, id: string): Promise<number | undefined> {
  const purchase = await tx
    .selectFrom('purchase')
    .select('version')
    .where('id', '=', id)
    .$if(engine === 'postgres', (purchases) => purchases.forUpdate())
    .executeTakeFirst();
  return purchase?.version;
}

/**
 * Locks a purchase. Returns its orders, sorted as the lines of the purchase; none if it is gone.
 */
export async function lockPurchaseOrders(tx: Tx, engine: Engine, id: string): Promise<OrderRow[]> {
  if (engine === 'postgres') await lockPurchase(tx, engine, id);
  return listPurchaseOrders(tx, { id });
}

/** Marks an unpaid purchase, which the caller has locked, and its orders as expired. */
export async function markExpired(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('purchase')
    .set({ status: 'expired', version: nextVersion })
    .where('id', '=', id)
    .where('status', '=', '')
    .execute();
  await tx
    .updateTable('order_line')
    .set({ status: 'expired' })
    .where('purchase_id', '=', id)
    .where('status', '=', '')
    .execute();
}
