import { type Insertable, sql } from 'kysely';
import type { Db, Schema, Tx } from '../../../database/schema.ts';
import { lockPurchase } from '../../orders/queries.ts';
import { advanceVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { findPaymentByIntent } from '../settle.ts';
import { addChargedBack, getLost } from './charged-back.ts';
import type { ProviderDispute } from './refund-calls.ts';

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
const decidedStates = ['won', 'lost', 'warning_closed', 'prevented'];

/** Records a dispute of one of our payments, just fetched from the provider. Nothing is refunded automatically. */
export async function recordDispute(shop: Shop, dispute: ProviderDispute): Promise<void> {
  const { db } = shop.database;
  const { id, payment_intent: intent, amount, reason, status } = dispute;
  const payment = typeof intent === 'string' && (await findPaymentByIntent(db, intent));
  if (!payment) return;
  const isOpen = !decidedStates.includes(status);
  const dueBy = dispute.evidence_details?.due_by ?? null;
  const facts = {
    amount,
    reason,
    status,
    is_open: isOpen ? 1 : 0,
    respond_by: dueBy === null ? null : dueBy * 1000,
  };
  // The periodic work reads the same disputes repeatedly.
  const before = await findDispute(db, id);
  const isKnown = before?.status === status && before.amount === amount && before.reason === reason;
  if (isKnown && before?.respond_by === facts.respond_by) return;
  const isNew = await shop.database.transaction(async (tx) => {
    await lockPurchase(tx, shop.database.engine, payment.purchase_id);
    const stored = await findDispute(tx, id);
    // A status that was fetched before the decision does not reopen the dispute.
    if (stored && isOpen && stored.is_open === 0) return false;
    const isDecided = !isOpen && stored?.status !== status;
    const current = { ...facts, ...(isDecided ? { decided_at: Date.now() } : {}) };
    const isNew = stored
      ? false
      : await insertDispute(tx, {
          ...current,
          id,
          intent,
          purchase_id: payment.purchase_id,
          currency: dispute.currency.toUpperCase(),
          created_at: dispute.created * 1000,
        });
    if (stored) await tx.updateTable('dispute').set(current).where('id', '=', id).execute();
    const lost = getLost(current) - (stored ? getLost(stored) : 0);
    if (lost !== 0) await addChargedBack(tx, { purchaseId: payment.purchase_id, intent }, lost);
    else if (isNew && isOpen) await advanceVersion(tx, payment.purchase_id);
    return isNew;
  });
  if (!isNew) return;
  shop.countEvent('payment disputed');
  shop.log.warn({ dispute: id, purchase: payment.purchase_id, status }, 'a customer disputes a payment');
}

const findDispute = (db: Db | Tx, id: string) =>
  db.selectFrom('dispute').selectAll().where('id', '=', id).executeTakeFirst();

/** Returns false if another process has inserted the dispute, which is possible if the purchase is gone: then nothing is locked. */
async function insertDispute(tx: Tx, row: Insertable<Schema['dispute']>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('dispute')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** The next undecided disputes after the one with the id `after`. */
export function listOpenDisputes(db: Db, after: string, limit: number): Promise<{ id: string }[]> {
  return (
    db
      .selectFrom('dispute')
      .select('id')
      // A literal matches the condition of the partial index.
      .where('is_open', '=', sql.lit(1))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}
