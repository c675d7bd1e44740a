import type { Kysely } from 'kysely';
import type Stripe from 'stripe';
import { dayMs } from '../../contract/durations.ts';
import type { StripeTables } from '../../sandbox/stripe/tables.ts';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { connect } from '../../server/database/database.ts';
import type { Schema } from '../../server/database/schema.ts';
import { auditRatings } from './rating-auditor.ts';
import { auditStock, auditStockHistory } from './stock-auditor.ts';

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

/** The columns of its refund that a part of a refund is audited with. */
const refundColumns = [
  'refund.status',
  'refund.provider_id',
  'refund.actor',
  'refund.purchase_id',
  'refund.settled_at',
  'refund.outcome',
] as const;

export function readShop(db: Kysely<Schema>) {
  return db
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => ({
      products: await tx.selectFrom('product').selectAll().execute(),
      stockChanges: await tx.selectFrom('stock_change').selectAll().execute(),
      purchases: await tx.selectFrom('purchase').selectAll().execute(),
      orders: await tx
        .selectFrom('order_line')
        .innerJoin('purchase', 'purchase.id', 'order_line.purchase_id')
        .selectAll('order_line')
        .select(['purchase.currency', 'purchase.hold_until', 'purchase.transaction_id'])
        .select('purchase.total as purchase_total')
        .execute(),
      charges: await tx.selectFrom('charge').selectAll().execute(),
      shipmentLines: await tx
        .selectFrom('shipment_line')
        .innerJoin('shipment', 'shipment.id', 'shipment_line.shipment_id')
        .selectAll('shipment')
        .select(['order_line_id', 'quantity'])
        .orderBy('shipment.id')
        .execute(),
      payments: await tx.selectFrom('payment').selectAll().execute(),
      orderRefunds: await tx.selectFrom('refund').selectAll().where('reason', '<>', 'automatic').execute(),
      automaticRefunds: await tx.selectFrom('refund').selectAll().where('reason', '=', 'automatic').execute(),
      refundLines: await tx
        .selectFrom('refund_line')
        .innerJoin('refund', 'refund.id', 'refund_line.refund_id')
        .selectAll('refund_line')
        .select(refundColumns)
        .execute(),
      refundCharges: await tx
        .selectFrom('refund_charge')
        .innerJoin('refund', 'refund.id', 'refund_charge.refund_id')
        .selectAll('refund_charge')
        .select(refundColumns)
        .execute(),
      disputes: await tx.selectFrom('dispute').selectAll().execute(),
      settings: await tx.selectFrom('setting').selectAll().execute(),
      salesByDay: await tx.selectFrom('sales_by_day').selectAll().execute(),
      productSalesByDay: await tx.selectFrom('product_sales_by_day').selectAll().execute(),
      recentProductSales: await tx.selectFrom('recent_product_sales').selectAll().execute(),
      productSalesByPeriod: await tx.selectFrom('product_sales_by_period').selectAll().execute(),
      reviews: await tx.selectFrom('review').selectAll().execute(),
      log: await tx.selectFrom('audit').selectAll().execute(),
      unknown: await tx.selectFrom('unknown_payment').select('intent').execute(),
    }));
}

async function readProvider(db: Kysely<StripeTables>) {
  const rows = await db
    .selectFrom('stripe_object')
    .select(['kind', 'body'])
    .where('kind', 'in', ['payment_intent', 'refund', 'dispute'])
    .execute();
  const intents: Stripe.PaymentIntent[] = [];
  const refunds: Stripe.Refund[] = [];
  const providerDisputes: Stripe.Dispute[] = [];
  for (const { kind, body } of rows) {
    if (kind === 'payment_intent') intents.push(JSON.parse(body));
    else if (kind === 'refund') refunds.push(JSON.parse(body));
    else providerDisputes.push(JSON.parse(body));
  }
  return { intents, refunds, providerDisputes };
}

/** Checks the books after the periodic work: `auditBooks` and `auditMoney`. */
export async function auditSettled(
  place: DatabaseLocation,
  opening: Map<string, OpeningStock>,
): Promise<string[]> {
  const books = await readBooks(place);
  return [...auditBooks(books, opening), ...auditMoney(books)];
}

/** Checks the invariants that hold at any moment. */
export function auditBooks(books: Books, opening: Map<string, OpeningStock>): string[] {
  return [
    ...auditStock(books, opening),
    ...auditStockHistory(books),
    ...auditPurchases(books),
    ...auditOrders(books),
    ...auditTransactions(books),
    ...auditRefunds(books),
    ...auditShipments(books),
    ...auditSales(books),
    ...auditRatings(books),
    ...auditLog(books, opening),
  ];
}

/**
 * A purchase has at least one order. Its total is the sum of its orders and charges, and it has the orders' customer and status.
 * Without a rate, nothing is charged.
 */
export function auditPurchases({
  purchases,
  orders,
  charges,
}: Pick<Books, 'purchases' | 'orders' | 'charges'>): string[] {
  const byPurchase = Map.groupBy(orders, ({ purchase_id }) => purchase_id);
  const chargesOf = Map.groupBy(charges, ({ purchase_id }) => purchase_id);
  return purchases.flatMap(({ id, total, status, user_id, rate }) => {
    const own = byPurchase.get(id) ?? [];
    const ownCharges = chargesOf.get(id) ?? [];
    const isRight =
      own.length > 0 &&
      sumTotals(own) + sumAmounts(ownCharges) === total &&
      (rate !== null || ownCharges.length === 0) &&
      own.every((order) => order.user_id === user_id) &&
      own.every((order) => order.status === status || (status === 'paid' && order.status === 'sipping'));
    return isRight
      ? []
      : [
          `purchase ${id} is '${status}' with a total of ${total}, its orders: ${own.map((order) => `'${order.status}' ${order.total}`)}, its charges: ${ownCharges.map(({ amount }) => amount)}`,
        ];
  });
}

/**
 * A paid purchase has exactly one paid payment. The amount is the purchase's total, and the orders have the transaction of that
 * payment. An unpaid purchase has no paid payment. No transaction pays two purchases.
 */
export function auditOrders({ orders, payments }: Pick<Books, 'orders' | 'payments'>): string[] {
  const discrepancies: string[] = [];
  const transactions = new Set<string>();
  const paid = payments.filter(({ state }) => state === 'paid');
  const byPurchase = Map.groupBy(paid, ({ purchase_id }) => purchase_id);
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
    const total = group[0]?.purchase_total;
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

/** The transaction of a paid purchase exists at the provider, with the purchase's total. */
export function auditTransactions({ orders, intents }: Pick<Books, 'orders' | 'intents'>): string[] {
  const byId = new Map(intents.map((intent) => [intent.id, intent]));
  return [...Map.groupBy(orders, ({ transaction_id }) => transaction_id)].flatMap(([transaction, group]) => {
    if (transaction === null) return [];
    const total = group[0]?.purchase_total;
    const amount = byId.get(transaction)?.amount;
    return amount === total ? [] : [`a purchase of ${total} is paid by ${transaction} of ${amount}`];
  });
}

/**
 * The counters of a purchase, its orders and its charges are the sums of its refunds, and never exceed what was paid and ordered. Only
 * paid orders have refunds. An order that is refunded in full has no pieces left to ship, unless its pieces are shipped anyway.
 */
export function auditRefunds({
  purchases,
  orders,
  charges,
  orderRefunds,
  refundLines,
  refundCharges,
}: Pick<
  Books,
  'purchases' | 'orders' | 'charges' | 'orderRefunds' | 'refundLines' | 'refundCharges'
>): string[] {
  const byPurchase = Map.groupBy(orderRefunds.filter(isCounted), ({ purchase_id }) => purchase_id);
  const parts = [...refundLines, ...refundCharges];
  const byRefund = Map.groupBy<string, RefundPart>(parts, ({ refund_id }) => refund_id);
  const byCharge = Map.groupBy(refundCharges, ({ charge_id }) => charge_id);
  const byOrder = Map.groupBy(refundLines, ({ order_line_id }) => order_line_id);
  return [
    ...orderRefunds.flatMap(({ id, amount, status }) => {
      const lines = byRefund.get(id) ?? [];
      const sum = sumAmounts(lines);
      // The lines of a failed refund are the amounts that are owed, which can be less, because the orders' prices limit them.
      const isPartlyOwed = !isCounted({ status }) && sum < amount;
      return lines.length === 0 || sum === amount || isPartlyOwed
        ? []
        : [`refund ${id} of ${amount} has lines of ${sum}`];
    }),
    ...purchases.flatMap(({ id, total, refunded, unassigned }) => {
      const counted = byPurchase.get(id) ?? [];
      const open = counted.filter((refund) => !byRefund.has(refund.id));
      const repaid = sumAmounts(listRepaid(parts).filter(({ purchase_id }) => purchase_id === id));
      const isRight = refunded === sumAmounts(counted) + repaid && unassigned === sumAmounts(open);
      return isRight
        ? []
        : [
            `purchase ${id} of ${total} has refunded ${refunded}, unassigned ${unassigned}; its refunds are ${sumAmounts(counted)}, ${sumAmounts(open)}`,
          ];
    }),
    ...orders.flatMap((order) => {
      const lines = byOrder.get(order.id) ?? [];
      const counters = countLines(lines);
      const wrong = Object.entries(counters).filter(([counter, value]) => {
        // Pieces may also have come back without a refund. The stock history has them.
        const isWrong = (stored: unknown) =>
          counter === 'returned' ? Number(stored) < value : stored !== value;
        return Object.entries(order).some(([column, stored]) => column === counter && isWrong(stored));
      });
      const isPossible =
        order.refunded <= order.total &&
        order.refunded_quantity <= order.quantity &&
        order.removed + order.shipped <= order.quantity &&
        order.returned <= order.removed + order.shipped;
      // Pieces of an order that is refunded in full would never be shipped, so none may be left.
      const hasRest =
        order.refunded === order.total &&
        order.still_send === 0 &&
        order.removed + order.shipped < order.quantity &&
        lines.every(({ status, provider_id }) => status !== 'pending' || provider_id !== null);
      if (
        wrong.length === 0 &&
        isPossible &&
        !hasRest &&
        (lines.length === 0 || order.transaction_id !== null)
      )
        return [];
      return [`order ${order.id}: ${JSON.stringify(order)}, but its refunds are ${JSON.stringify(counters)}`];
    }),
    ...charges.flatMap(({ id, amount, refunded, refund_pending, owed }) => {
      const expected = sumMoney(byCharge.get(id) ?? []);
      const isRight =
        refunded === expected.refunded &&
        refund_pending === expected.refund_pending &&
        owed === expected.owed &&
        refunded <= amount &&
        owed <= amount;
      return isRight
        ? []
        : [
            `charge ${id} of ${amount} has refunded ${refunded}, pending ${refund_pending}, owed ${owed}; its refunds are ${JSON.stringify(expected)}`,
          ];
    }),
  ];
}

type RefundLine = Books['refundLines'][number];
/** The part of a refund that is for an order or a charge. A charge has no pieces. */
type RefundPart = Omit<Books['refundCharges'][number], 'charge_id'> & { removed?: number };

/** Pending and succeeded refunds count, failed and canceled ones do not. */
const isCounted = ({ status }: { status: string }): boolean => status === 'pending' || status === 'succeeded';

/** The lines of failed refunds whose amounts an admin has repaid another way. */
const listRepaid = (parts: readonly RefundPart[]): RefundPart[] =>
  parts.filter((part) => isRepaid(part) && !isCounted(part) && isKept(part));

/** Whether a failed refund still counts: it was refused only if its order was shipped without its pieces. */
const isKept = ({ provider_id, removed = 0 }: RefundPart): boolean => provider_id !== null || removed > 0;

/** Whether an admin has recorded that the amount of a failed refund was paid another way, which counts as refunded. */
const isRepaid = ({ outcome }: { outcome: string | null }): boolean => outcome === 'repaid';

/** The correct counters of an order. A refused refund counts only if the order was shipped without the refund's pieces. */
function countLines(lines: readonly RefundLine[]) {
  const kept = lines.filter((line) => !isCounted(line) && isKept(line));
  const counted = lines.filter(isCounted);
  const sum = (rows: readonly RefundLine[], field: 'quantity' | 'removed' | 'restock') =>
    rows.reduce((total, row) => total + (row[field] ?? 0), 0);
  return {
    ...sumMoney(lines),
    refunded_quantity: sum([...counted, ...kept], 'quantity'),
    removed: sum(lines, 'removed'),
    returned: sum(
      lines.filter(({ provider_id }) => provider_id !== null),
      'restock',
    ),
  };
}

/** The correct amounts of an order or a charge. */
function sumMoney(parts: readonly RefundPart[]) {
  const kept = parts.filter((part) => !isCounted(part) && isKept(part));
  return {
    refunded: sumAmounts([...parts.filter(isCounted), ...kept.filter(isRepaid)]),
    refund_pending: sumAmounts(parts.filter(({ status }) => status === 'pending')),
    owed: sumAmounts(kept.filter(({ settled_at }) => settled_at === null)),
  };
}

/**
 * An order's shipped pieces are those in its parcels, and its tracking is that of the last parcel. Only paid orders have parcels,
 * and a shipped order has at least one.
 */
export function auditShipments({ orders, shipmentLines }: Pick<Books, 'orders' | 'shipmentLines'>): string[] {
  const byOrder = Map.groupBy(shipmentLines, ({ order_line_id }) => order_line_id);
  return orders.flatMap((order) => {
    const own = byOrder.get(order.id) ?? [];
    const shipped = own.reduce((sum, { quantity }) => sum + quantity, 0);
    const last = own.at(-1);
    const isRight =
      order.shipped === shipped &&
      shipped <= order.quantity &&
      (shipped === 0 || order.status === 'sipping' || order.status === 'paid') &&
      (shipped > 0 || order.status !== 'sipping') &&
      (order.status !== 'paid' || shipped < order.quantity) &&
      order.shipped_at === (last?.created_at ?? null) &&
      order.tracking_number === (last?.tracking_number ?? null) &&
      order.carrier === (last?.carrier ?? null);
    return isRight
      ? []
      : [
          `order ${order.id} is '${order.status}' with ${order.shipped} of ${order.quantity} pieces shipped, its parcels have ${shipped}`,
        ];
  });
}

/**
 * The totals (by day, by product and day, by product for 30 days and longer periods) are the sums of the counted orders. Only the
 * totals by day include delivery.
 */
export function auditSales(
  books: Pick<
    Books,
    | 'orders'
    | 'purchases'
    | 'settings'
    | 'salesByDay'
    | 'productSalesByDay'
    | 'recentProductSales'
    | 'productSalesByPeriod'
  >,
): string[] {
  const until = Number(books.settings.find(({ name }) => name === 'sales counted until')?.value ?? 0);
  const soldAt = new Map(books.purchases.map((one) => [one.id, one.paid_at ?? one.created_at]));
  const expected = new Map<string, number>();
  const count = (key: string, value: number) => expected.set(key, (expected.get(key) ?? 0) + value);
  const counted = new Set<string>();
  for (const order of books.orders) {
    const { purchase_id, transaction_id, product_id, currency, quantity, total, purchase_total } = order;
    const at = soldAt.get(purchase_id) ?? 0;
    if (transaction_id === null || at >= until) continue;
    const day = Math.floor(at / dayMs);
    const isFirst = !counted.has(purchase_id);
    count(`orders ${day} ${currency}`, isFirst ? 1 : 0);
    count(`revenue ${day} ${currency}`, isFirst ? purchase_total : 0);
    counted.add(purchase_id);
    count(`pieces ${day} ${currency} ${product_id}`, quantity);
    count(`revenue ${day} ${currency} ${product_id}`, total);
    const date = new Date(at).toISOString();
    const daysSinceMonday = (new Date(at).getUTCDay() + 6) % 7;
    const monday = new Date(at - daysSinceMonday * dayMs).toISOString().slice(0, 10);
    const periods = [`week of ${monday}`, date.slice(0, 7), date.slice(0, 4)];
    for (const period of day < Math.floor(until / dayMs) ? periods : []) {
      count(`pieces ${period} ${currency} ${product_id}`, quantity);
      count(`revenue ${period} ${currency} ${product_id}`, total);
    }
    // Each run counts the orders up to ten minutes before the run. The first run of a day moves the window of 30 days.
    if (day <= Math.floor((until + 600_000) / dayMs) - 30) continue;
    count(`pieces ${currency} ${product_id}`, quantity);
    count(`revenue ${currency} ${product_id}`, total);
  }
  for (const { day, currency, orders, revenue } of books.salesByDay) {
    count(`orders ${day} ${currency}`, -orders);
    count(`revenue ${day} ${currency}`, -revenue);
  }
  for (const { day, currency, product_id, pieces, revenue } of books.productSalesByDay) {
    count(`pieces ${day} ${currency} ${product_id}`, -pieces);
    count(`revenue ${day} ${currency} ${product_id}`, -revenue);
  }
  for (const { currency, product_id, pieces, revenue } of books.recentProductSales) {
    count(`pieces ${currency} ${product_id}`, -pieces);
    count(`revenue ${currency} ${product_id}`, -revenue);
  }
  for (const { period, currency, product_id, pieces, revenue } of books.productSalesByPeriod) {
    count(`pieces ${period} ${currency} ${product_id}`, -pieces);
    count(`revenue ${period} ${currency} ${product_id}`, -revenue);
  }
  return [...expected].flatMap(([key, missing]) =>
    missing === 0 ? [] : [`the totals lack ${missing} of ${key}`],
  );
}

const sumAmounts = (rows: readonly { amount: number }[]): number =>
  rows.reduce((sum, { amount }) => sum + amount, 0);

const sumTotals = (orders: readonly { total: number }[]): number =>
  orders.reduce((sum, { total }) => sum + total, 0);

/** Every action of an admin is in the audit log once. Refunds made at the provider are not in it. */
export function auditLog(
  {
    products,
    orders,
    shipmentLines,
    refundLines,
    refundCharges,
    log,
  }: Pick<Books, 'products' | 'orders' | 'shipmentLines' | 'refundLines' | 'refundCharges' | 'log'>,
  opening: Map<string, OpeningStock>,
): string[] {
  const entries = Map.groupBy(log, ({ action, target }) => `${action} ${target}`);
  const existing = new Set(products.map(({ id }) => id));
  const actions = new Set([
    ...products.filter(({ id }) => !opening.get(id)?.seeded).map(({ id }) => `addProduct ${id}`),
    ...[...opening.keys()].filter((id) => !existing.has(id)).map((id) => `deleteProduct ${id}`),
  ]);
  // The refund of a charge is in the log under the first order of its purchase.
  const firstOf = new Map(
    orders
      .toSorted((one, other) => (one.id > other.id ? -1 : 1))
      .map(({ id, purchase_id }) => [purchase_id, id]),
  );
  const parts = [
    ...refundLines.map((line) => ({ ...line, target: line.order_line_id })),
    ...refundCharges.map((part) => ({ ...part, target: firstOf.get(part.purchase_id) })),
  ];
  const requested = Map.groupBy(
    parts.filter(({ actor }) => actor !== ''),
    ({ target }) => `refundOrder ${target}`,
  );
  const expected = new Map([...actions].map((action) => [action, 1]));
  for (const [action, refunds] of requested) expected.set(action, refunds.length);
  // The log has an entry for each order of each parcel, including parcels that were taken back.
  const parcels = Map.groupBy(shipmentLines, ({ order_line_id }) => order_line_id);
  const shippedIds = [...entries.keys()].flatMap((action) => action.match(/^shipOrder (.*)/)?.[1] ?? []);
  for (const id of new Set([...parcels.keys(), ...shippedIds])) {
    const undone = entries.get(`undoShipment ${id}`)?.length ?? 0;
    expected.set(`shipOrder ${id}`, (parcels.get(id)?.length ?? 0) + undone);
  }
  for (const action of entries.keys())
    if (action.startsWith('refundOrder ')) expected.set(action, requested.get(action)?.length ?? 0);
  return [...expected].flatMap(([action, count]) => {
    const logged = entries.get(action)?.length ?? 0;
    return logged === count ? [] : [`${action} is in the audit log ${logged} times, not ${count}`];
  });
}

/** Payments that Health shows: their refund is at the bank or has failed, or the bank has taken the money back. */
function listStuckRefunds({ payments, automaticRefunds, providerDisputes }: Books): Set<string> {
  const requested = new Set(
    automaticRefunds.filter(({ provider_id }) => provider_id !== null).map(({ payment_id }) => payment_id),
  );
  const disputed = new Set(providerDisputes.map(({ payment_intent }) => payment_intent));
  const stuck = payments.filter(
    ({ id, intent, state }) => state === 'refund_due' && (requested.has(id) || disputed.has(intent)),
  );
  return new Set(stuck.flatMap(({ intent }) => intent ?? []));
}

/**
 * A payment has an automatic refund if, and only if, it did not count towards an order. The refund is for the whole amount that
 * was charged.
 */
function auditAutomaticRefunds({ payments, automaticRefunds, refundLines, intents }: Books): string[] {
  const refundsOf = Map.groupBy(automaticRefunds, ({ payment_id }) => payment_id);
  const received = new Map(intents.map(({ id, amount_received }) => [id, amount_received]));
  return [
    ...payments.flatMap(({ id, intent, state, purchase_id }) => {
      const own = refundsOf.get(id) ?? [];
      const needsRefund = state === 'refund_due' || state === 'refunded';
      const isRight =
        own.length === Number(needsRefund) &&
        own.every(
          (refund) => refund.purchase_id === purchase_id && refund.amount === received.get(intent ?? ''),
        );
      return isRight ? [] : [`payment ${id} is ${state} and has the refunds ${JSON.stringify(own)}`];
    }),
    ...automaticRefunds
      .filter(({ id }) => refundLines.some(({ refund_id }) => refund_id === id))
      .map(({ id }) => `the automatic refund ${id} has lines`),
  ];
}

/**
 * After the periodic work, all money received has paid an order, was refunded, or is shown to the admins as an unknown
 * or late payment or as a refund that failed, and no work is pending.
 */
export function auditMoney(books: Books): string[] {
  const { orders, purchases, payments, unknown, intents, refunds, orderRefunds } = books;
  const repaid = listRepaid([...books.refundLines, ...books.refundCharges]);
  const sumRepaid = (id: string | undefined) =>
    sumAmounts(repaid.filter(({ purchase_id }) => purchase_id === id));
  const stuck = listStuckRefunds(books);
  const discrepancies = auditAutomaticRefunds(books);
  const purchaseOf = new Map(purchases.map((purchase) => [purchase.transaction_id, purchase]));
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
    const counted = (refundsOf.get(id) ?? []).filter(
      ({ status }) => status !== 'failed' && status !== 'canceled',
    );
    const refunded = sumAmounts(counted);
    const isSettled = order
      ? refunded + sumRepaid(purchaseOf.get(id)?.id) === purchaseOf.get(id)?.refunded && state === 'paid'
      : unknownIds.has(id) ||
        state === 'undecided' ||
        stuck.has(id) ||
        (refunded === amount_received && state === 'refunded');
    if (!isSettled)
      discrepancies.push(
        `${id} received ${amount_received} and refunded ${refunded} for order ${order?.id}; the payment is ${state}`,
      );
  }
  const disputesAtProvider = new Map(books.providerDisputes.map((dispute) => [dispute.id, dispute]));
  for (const { id, amount, status } of books.disputes)
    if (disputesAtProvider.get(id)?.status !== status || disputesAtProvider.get(id)?.amount !== amount)
      discrepancies.push(
        `dispute ${id} of ${amount} is ${status} here, ${disputesAtProvider.get(id)?.status} at the provider`,
      );
  const recorded = new Set(books.disputes.map(({ id }) => id));
  for (const { id } of disputesAtProvider.values())
    if (!recorded.has(id)) discrepancies.push(`dispute ${id} is missing here`);
  for (const { id, status, provider_id } of orderRefunds)
    if (status === 'pending' && provider_id === null)
      discrepancies.push(`refund ${id} has not been requested`);
  for (const { id, intent, state } of payments)
    if (state === 'refund_due' && !(intent && stuck.has(intent)))
      discrepancies.push(`payment ${id} is not refunded yet`);
  for (const { id, status, hold_until } of orders)
    if (status === '' && hold_until < Date.now())
      discrepancies.push(`order ${id} is not expired after its hold`);
  return discrepancies;
}
