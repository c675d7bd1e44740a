import { type Selectable, sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { type RefundStatus, refundReason } from '../../../../contract/orders/refunds.ts';
import type { Schema, Tx } from '../../../database/schema.ts';
import { queueOrderRefunded } from '../../mail/queue.ts';
import { isCounted } from '../../orders/packed.ts';
import { findOrder, listPurchaseOrders, lockPurchase } from '../../orders/queries.ts';
import { takeBackStock, takeOwedStock } from '../../orders/returned-stock.ts';
import { advanceVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import type { ProviderRefund } from './refund-calls.ts';

type RefundRow = Selectable<Schema['refund']>;

/** A purchase and the payment intent that paid it. */
export type PaidPurchase = { purchaseId: string; intent: string };

/** A refund's status only advances, so an older response from the provider cannot replace a newer one. */
const statusRank: Record<RefundStatus, number> = { pending: 0, succeeded: 1, failed: 2, canceled: 2 };

/**
 * Updates the refunds of a purchase to match the provider's, and adds those that were made there. Idempotent. Throws 503
 * if the provider is unreachable.
 */
export async function syncRefunds(shop: Shop, purchase: PaidPurchase): Promise<void> {
  const reported = await shop.provider.listRefunds(purchase.intent);
  const changed = await shop.database.transaction(async (tx) => {
    await lockPurchase(tx, shop.database.engine, purchase.purchaseId);
    const rows = await tx.selectFrom('refund').selectAll().where('intent', '=', purchase.intent).execute();
    const updated: (RefundRow | undefined)[] = [];
    const added: ProviderRefund[] = [];
    // Skip duplicates: a refund listed twice would count twice.
    for (const refund of new Map(reported.map((refund) => [refund.id, refund])).values()) {
      const own = rows.filter((row) => isSameRefund(shop, row, refund));
      for (const row of own) updated.push(await updateRefund(tx, row, refund));
      const recorded = own.reduce((sum, { amount }) => sum + amount, 0);
      if (recorded < refund.amount) added.push({ ...refund, amount: refund.amount - recorded });
    }
    let isChanged = await recountRefunds(tx, purchase.purchaseId);
    if (updated.some(hasFailed)) await takeAllOwedStock(shop, tx, purchase.purchaseId);
    for (const refund of added) {
      const rows = await addRefund(shop, tx, purchase, refund);
      updated.push(...rows);
      isChanged ||= rows.some(isCounted);
    }
    if (isChanged) await advanceVersion(tx, purchase.purchaseId);
    for (const refund of updated)
      if (refund?.status === 'succeeded') await queueOrderRefunded(shop, tx, refund);
    return updated;
  });
  if (changed.some(hasFailed)) shop.invalidateCache();
  for (const refund of changed) if (refund) reportRefund(shop, refund);
}

/** Failed or canceled. */
const hasFailed = (refund: RefundRow | undefined): boolean => refund !== undefined && !isCounted(refund);

/** The pieces of shipped orders stay in stock: they came back from the customer, or were left out of the parcel. */
async function takeAllOwedStock(shop: Shop, tx: Tx, purchaseId: string): Promise<void> {
  const orders = await listPurchaseOrders(tx, { id: purchaseId });
  // Products are locked in the order of their ids.
  const inOrder = orders.toSorted((one, other) => (one.product_id < other.product_id ? -1 : 1));
  for (const order of inOrder) if (order.status === 'paid') await takeOwedStock(shop, tx, order);
}

function isSameRefund(shop: Shop, row: RefundRow, { id, metadata }: ProviderRefund): boolean {
  if (row.provider_id !== null) return row.provider_id === id;
  return metadata?.shop === shop.id && metadata.refund === row.id;
}

/** https://docs.stripe.com/api/refunds/object#refund_object-status */
export function toStatus({ status }: ProviderRefund): RefundStatus {
  return status === 'succeeded' || status === 'failed' || status === 'canceled' ? status : 'pending';
}

/** Returns the refund if it has changed. The lock on the purchase makes `row` current. */
async function updateRefund(tx: Tx, row: RefundRow, refund: ProviderRefund): Promise<RefundRow | undefined> {
  const status = toStatus(refund);
  if (row.provider_id !== null && statusRank[status] <= statusRank[row.status]) return undefined;
  const changes = {
    status,
    provider_id: refund.id,
    failure: refund.failure_reason ?? '',
    updated_at: Date.now(),
  };
  await tx.updateTable('refund').set(changes).where('id', '=', row.id).execute();
  return { ...row, ...changes };
}

/**
 * Adds a refund that was made at the provider, or one of ours that a failover has lost, which names its order. It is allocated
 * to that order and then to the others of the purchase in turn, each up to its refundable amount. A later call adds the part
 * that a pending refund has reserved.
 */
async function addRefund(
  shop: Shop,
  tx: Tx,
  { purchaseId, intent }: PaidPurchase,
  refund: ProviderRefund,
): Promise<RefundRow[]> {
  const orders = await tx
    .selectFrom('order_line')
    .select(['id', 'total', 'refunded'])
    .where('purchase_id', '=', purchaseId)
    .orderBy('id')
    .execute();
  const status = toStatus(refund);
  const rows: RefundRow[] = [];
  let rest = refund.amount;
  const ownOrder = refund.metadata?.shop === shop.id ? refund.metadata.order : undefined;
  const isOwn = ({ id }: { id: string }) => id === ownOrder;
  const inTurn = [...orders.filter(isOwn), ...orders.filter((order) => !isOwn(order))];
  for (const { id: order_id, total, refunded } of inTurn) {
    const amount = Math.min(rest, isCounted({ status }) ? total - refunded : total);
    if (amount === 0) continue;
    rest -= amount;
    rows.push({
      ...{ id: uuidv7(), order_id, intent, amount, currency: refund.currency.toUpperCase() },
      ...{ quantity: null, restock: 0 },
      ...{ reason: refundReason.catch('other').parse(refund.reason), note: '', requested_by: '' },
      ...{ status, failure: refund.failure_reason ?? '', provider_id: refund.id },
      ...{ created_at: refund.created * 1000, updated_at: Date.now() },
    });
  }
  if (rows.length === 0) return rows;
  const added = await tx
    .insertInto('refund')
    .values(rows)
    // An earlier call has added a part of it to the same order.
    .onConflict((conflict) =>
      conflict
        .columns(['provider_id', 'order_id'])
        .doUpdateSet((eb) => ({ amount: eb('refund.amount', '+', eb.ref('excluded.amount')) })),
    )
    .returningAll()
    .execute();
  await recountRefunds(tx, purchaseId);
  return added;
}

/** Ends a refund that the provider has refused. */
export async function failRefund(
  shop: Shop,
  refund: RefundRow & PaidPurchase,
  failure: string,
): Promise<void> {
  const failed = await shop.database.transaction(async (tx) => {
    await lockPurchase(tx, shop.database.engine, refund.purchaseId);
    const row = await tx
      .updateTable('refund')
      .set({ status: 'failed', failure, updated_at: Date.now() })
      .where('id', '=', refund.id)
      .where('status', '=', 'pending')
      .where('provider_id', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (await recountRefunds(tx, refund.purchaseId)) await advanceVersion(tx, refund.purchaseId);
    const order = row && row.restock > 0 ? await findOrder(tx, row.order_id) : undefined;
    // Pieces that were left out of a parcel in between are on the shelf: they stay in stock.
    if (row && order && !(order.shipped_at && order.shipped_at > row.created_at))
      await takeBackStock(shop, tx, order, [row], row.restock);
    return row;
  });
  if (!failed) return;
  if (failed.restock > 0) shop.invalidateCache();
  reportRefund(shop, failed);
}

/** Recomputes each order's refunded amount and how many pieces were returned. Returns whether any of them has changed. */
async function recountRefunds(tx: Tx, purchaseId: string): Promise<boolean> {
  const refunded = sql`(
    select coalesce(sum(amount), 0) from refund where order_id = order_line.id and status in ('pending', 'succeeded'))`;
  const restocked = sql`(select coalesce(sum(restock), 0) from refund where order_id = order_line.id)`;
  const { numAffectedRows = 0n } = await sql`
    update order_line set refunded = ${refunded}, restocked = ${restocked}
    where purchase_id = ${purchaseId} and (refunded <> ${refunded} or restocked <> ${restocked})`.execute(tx);
  return numAffectedRows > 0n;
}

function reportRefund(shop: Shop, { id, order_id, provider_id, status, failure }: RefundRow): void {
  const fields = { refund: id, order: order_id };
  if (status === 'succeeded') {
    shop.countEvent('order refunded');
    shop.log.info(fields, 'the refund of an order succeeded');
  } else if (status === 'failed') {
    shop.countEvent('order refund failed');
    // The admin who requested a refused refund sees that immediately. One that the bank returns days later needs attention.
    const level = provider_id === null ? 'warn' : 'error';
    shop.log[level]({ ...fields, failure }, 'the refund of an order failed');
  } else shop.log.info({ ...fields, status }, 'the status of a refund changed');
}
