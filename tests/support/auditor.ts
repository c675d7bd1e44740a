import type { Kysely } from 'kysely';
import type Stripe from 'stripe';
import type { StripeTables } from '../../sandbox/stripe/tables.ts';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { connect } from '../../server/database/database.ts';
import type { Schema } from '../../server/database/schema.ts';

/* Checks the books of a shop and its payment provider. Each function returns a sentence per discrepancy. */

type Books = Awaited<ReturnType<typeof readShop>> & Awaited<ReturnType<typeof readProvider>>;
type Databases = { shop: Kysely<Schema>; provider: Kysely<StripeTables> };

/** A product's stock before its first order. `seeded` products come from the demo catalogue, without an audit entry. */
export type OpeningStock = { stock: number; seeded?: true };

/**
 * Opens the databases of a shop and of the stand-in for Stripe, and closes them after `work`. They must be closed before
 * a killed shop restarts: SQLite recovers a file only if no other process has it open.
 */
export async function withDatabases<T>(
  place: DatabaseLocation,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  const sandbox: DatabaseLocation =
    'url' in place
      ? { url: place.url, schema: 'sandbox' }
      : { file: place.file.replace(/shop\.db$/, 'sandbox.db') };
  const shop = connect<Schema>(place).db;
  const provider = connect<StripeTables>(sandbox).db;
  try {
    return await work({ shop, provider });
  } finally {
    await shop.destroy();
    await provider.destroy();
  }
}

/** Reads the provider first, so that a payment in between appears in the shop's books only. */
export function readBooks(place: DatabaseLocation): Promise<Books> {
  return withDatabases(place, async ({ shop, provider }) => ({
    ...(await readProvider(provider)),
    ...(await readShop(shop)),
  }));
}

function readShop(db: Kysely<Schema>) {
  return db
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => ({
      products: await tx.selectFrom('product').selectAll().execute(),
      orders: await tx.selectFrom('orders').selectAll().execute(),
      payments: await tx.selectFrom('payment').selectAll().execute(),
      log: await tx.selectFrom('audit').selectAll().execute(),
      unknown: await tx.selectFrom('unknown_payment').select('intent').execute(),
    }));
}

async function readProvider(db: Kysely<StripeTables>) {
  const rows = await db
    .selectFrom('stripe_object')
    .select(['kind', 'body'])
    .where('kind', 'in', ['payment_intent', 'refund'])
    .execute();
  const intents: Stripe.PaymentIntent[] = [];
  const refunds: Stripe.Refund[] = [];
  for (const { kind, body } of rows) {
    if (kind === 'payment_intent') intents.push(JSON.parse(body));
    else refunds.push(JSON.parse(body));
  }
  return { intents, refunds };
}

/** Checks the invariants that hold at any moment. */
export function auditBooks(books: Books, opening: Map<string, OpeningStock>): string[] {
  return [
    ...auditStock(books, opening),
    ...auditOrders(books),
    ...auditTransactions(books),
    ...auditLog(books, opening),
  ];
}

/** Opening stock = available + held + sold. */
export function auditStock(
  { products, orders }: Pick<Books, 'products' | 'orders'>,
  opening: Map<string, OpeningStock>,
): string[] {
  const byProduct = Map.groupBy(orders, ({ product_id }) => product_id);
  return products.flatMap(({ id, available }) => {
    const taken = (byProduct.get(id) ?? [])
      .filter(({ status }) => status !== 'expired')
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const stock = opening.get(id)?.stock;
    return available + taken === stock
      ? []
      : [`product ${id} had ${stock} pieces; ${available} are available, ${taken} held or sold`];
  });
}

/**
 * A paid purchase has exactly one paid payment, of the total of its orders, which share its transaction; an unpaid one has
 * none. No transaction pays two purchases.
 */
export function auditOrders({ orders, payments }: Pick<Books, 'orders' | 'payments'>): string[] {
  const discrepancies: string[] = [];
  const transactions = new Set<string>();
  const paid = payments.filter(({ state }) => state === 'paid');
  const byPurchase = Map.groupBy(paid, ({ order_id }) => order_id);
  for (const [id, group] of Map.groupBy(orders, ({ purchase_id }) => purchase_id)) {
    const paying = byPurchase.get(id) ?? [];
    byPurchase.delete(id);
    const states = new Set(group.map(({ status }) => status === 'paid' || status === 'sipping'));
    const [transaction = null, ...others] = new Set(group.map(({ transaction_id }) => transaction_id));
    const isPaid = states.has(true);
    if (states.size > 1 || others.length > 0)
      discrepancies.push(
        `only a part of purchase ${id} is paid: ${group.map(({ status }) => `'${status}'`)}`,
      );
    if (isPaid !== (transaction !== null) || paying.length !== (isPaid ? 1 : 0))
      discrepancies.push(
        `purchase ${id} is paid: ${isPaid}, with transaction ${transaction} and ${paying.length} paid payments`,
      );
    if (transaction === null) continue;
    const total = sumTotals(group);
    for (const { intent, amount } of paying)
      if (intent !== transaction || amount !== total)
        discrepancies.push(
          `purchase ${id} of ${total} is paid by ${transaction}, its payment is ${intent} of ${amount}`,
        );
    if (transactions.has(transaction)) discrepancies.push(`${transaction} has paid two purchases`);
    transactions.add(transaction);
  }
  for (const purchase of byPurchase.keys())
    discrepancies.push(`purchase ${purchase} has a paid payment, but no orders`);
  return discrepancies;
}

/** The transaction of a paid purchase exists at the provider, with the total of its orders. */
export function auditTransactions({ orders, intents }: Pick<Books, 'orders' | 'intents'>): string[] {
  const byId = new Map(intents.map((intent) => [intent.id, intent]));
  return [...Map.groupBy(orders, ({ transaction_id }) => transaction_id)].flatMap(([transaction, group]) => {
    if (transaction === null) return [];
    const total = sumTotals(group);
    const amount = byId.get(transaction)?.amount;
    return amount === total ? [] : [`orders of ${total} are paid by ${transaction} of ${amount}`];
  });
}

const sumTotals = (orders: readonly { total: number }[]): number =>
  orders.reduce((sum, { total }) => sum + total, 0);

/** Every action of an admin is in the audit log once. */
export function auditLog(
  { products, orders, log }: Pick<Books, 'products' | 'orders' | 'log'>,
  opening: Map<string, OpeningStock>,
): string[] {
  const entries = Map.groupBy(log, ({ what, of }) => `${what} ${of}`);
  const existing = new Set(products.map(({ id }) => id));
  const actions = new Set([
    ...products.filter(({ id }) => !opening.get(id)?.seeded).map(({ id }) => `addProduct ${id}`),
    ...orders.filter(({ status }) => status === 'sipping').map(({ id }) => `shipOrder ${id}`),
    ...[...opening.keys()].filter((id) => !existing.has(id)).map((id) => `deleteProduct ${id}`),
  ]);
  return [...actions]
    .filter((action) => entries.get(action)?.length !== 1)
    .map((action) => `${action} is in the audit log ${entries.get(action)?.length ?? 0} times`);
}

/**
 * After the periodic work, all money received has paid an order, was refunded, or is listed for the admins as an
 * unknown payment, and no work is pending.
 */
export function auditMoney({ orders, payments, unknown, intents, refunds }: Books): string[] {
  const discrepancies: string[] = [];
  const orderOf = new Map(orders.map((order) => [order.transaction_id, order]));
  const purchaseIds = new Set(orders.map(({ purchase_id }) => purchase_id));
  const paymentOf = new Map(payments.map((payment) => [payment.intent, payment]));
  const unknownIds = new Set(unknown.map(({ intent }) => intent));
  const refundsOf = Map.groupBy(refunds, ({ payment_intent }) => payment_intent);
  for (const { id, status, amount_received, metadata } of intents) {
    const order = orderOf.get(id);
    if (status !== 'succeeded') {
      if (order) discrepancies.push(`order ${order.id} is paid by ${id}, which is ${status}`);
      if (status !== 'canceled' && metadata.order && !purchaseIds.has(metadata.order))
        discrepancies.push(`${id} of the deleted purchase ${metadata.order} is ${status}`);
      continue;
    }
    const state = paymentOf.get(id)?.state;
    const refunded = (refundsOf.get(id) ?? []).reduce((sum, { amount }) => sum + amount, 0);
    const isSettled = order
      ? refunded === 0 && state === 'paid'
      : unknownIds.has(id) || (refunded === amount_received && state === 'refunded');
    if (!isSettled)
      discrepancies.push(
        `${id} received ${amount_received} and refunded ${refunded} for order ${order?.id}; the payment is ${state}`,
      );
  }
  for (const { id, state } of payments)
    if (state === 'refund_due') discrepancies.push(`payment ${id} is not refunded yet`);
  for (const { id, status, hold_until } of orders)
    if (status === '' && hold_until < Date.now())
      discrepancies.push(`order ${id} is not expired after its hold`);
  return discrepancies;
}
