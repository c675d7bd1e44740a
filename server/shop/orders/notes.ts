import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { notFound } from '../../../contract/errors.ts';
import { maxNotes, type Note, type newNote } from '../../../contract/orders/shipping.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { lockPurchase, type OrderRow } from './queries.ts';

/** Adds a note to an order's purchase and returns its id. Throws 404 if the purchase has been deleted in the meantime. */
export function addNote(
  shop: Shop,
  order: OrderRow,
  { text }: z.output<typeof newNote>,
  actor: SessionUser,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const id = uuidv7();
  return runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    if (!(await lockPurchase(tx, shop.database.engine, order.purchase_id))) throw notFound('order');
    await insertNote(tx, order.purchase_id, text, actor, id);
    // Audit entries are permanent, so they don't repeat the text.
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'addNote',
      target: order.id,
      name: order.product_name,
    });
  });
}

/** The caller has locked the purchase. */
export async function insertNote(
  tx: Tx,
  purchaseId: string,
  text: string,
  actor: SessionUser,
  id = uuidv7(),
): Promise<void> {
  const note = { id, purchase_id: purchaseId, text, ...toActor(actor), created_at: Date.now() };
  await tx.insertInto('order_note').values(note).execute();
}

/** The notes about a purchase, newest first. */
export async function listNotes(db: Db, purchaseId: string): Promise<Note[]> {
  const rows = await db
    .selectFrom('order_note')
    .selectAll()
    .where('purchase_id', '=', purchaseId)
    .orderBy('id', 'desc')
    .limit(maxNotes)
    .execute();
  return rows.map(({ id, text, actor, created_at }) => {
    return { _id: id, text, who: actor, createdAt: new Date(created_at).toISOString() };
  });
}
