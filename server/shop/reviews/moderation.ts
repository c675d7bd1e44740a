import type { Updateable } from 'kysely';
import { dayMs } from '../../../contract/durations.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { Schema, Tx } from '../../database/schema.ts';
import { consumeRateLimit } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { type Changes, writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { requireAccount } from '../users/account-lock.ts';

/**
 * Hides a review, or changes the reason, and deletes the readers' reports. Returns the review's new version; `modifiedCount` is 0
 * if the review is already hidden for this reason. Otherwise throws 409 if the review has changed since `version`. Throws 404 if
 * there is no such review.
 */
export async function hideReview(
  shop: Shop,
  id: string,
  actor: SessionUser,
  { version, reason }: { version: number; reason: string },
): Promise<{ modifiedCount: number; version: number }> {
  const result = await shop.database.transaction(async (tx) => {
    const before = await getReview(tx, id);
    if (before.state === 'hidden' && before.hidden_reason === reason)
      return { modifiedCount: 0, version: before.version };
    await updateReview(tx, id, version, { state: 'hidden', hidden_reason: reason });
    await tx.deleteFrom('review_report').where('review_id', '=', id).execute();
    await writeAudit(tx, { ...toActor(actor), action: 'hideReview', target: id, name: before.name });
    return { modifiedCount: 1, version: version + 1 };
  });
  if (result.modifiedCount > 0) shop.invalidateCache();
  return result;
}

/**
 * Shows a hidden review again. If reviews need approval, it becomes pending: its author may have edited it while it was hidden.
 * Returns the review's new version; `modifiedCount` is 0 if the review is not hidden. Otherwise throws 409 if the review has
 * changed since `version`. Throws 404 if there is no such review.
 */
export async function showReview(
  shop: Shop,
  id: string,
  actor: SessionUser,
  version: number,
): Promise<{ modifiedCount: number; version: number; pending?: true }> {
  const result = await shop.database.transaction(async (tx) => {
    const before = await getReview(tx, id);
    if (before.state !== 'hidden')
      return { modifiedCount: 0, version: before.version, ...describeState(before.state) };
    const state = shop.config.reviewApproval ? 'pending' : 'visible';
    await updateReview(tx, id, version, { state, hidden_reason: '' });
    await writeAudit(tx, { ...toActor(actor), action: 'showReview', target: id, name: before.name });
    return { modifiedCount: 1, version: version + 1, ...describeState(state) };
  });
  if (result.modifiedCount > 0) shop.invalidateCache();
  return result;
}

const describeState = (state: string): { pending?: true } => (state === 'pending' ? { pending: true } : {});

/**
 * Makes a pending review visible. Returns 1, or 0 if it is visible already. Throws 404 if there is no such review; 409 if the
 * author has edited it since `version` or it is hidden.
 */
export async function approveReview(
  shop: Shop,
  id: string,
  actor: SessionUser,
  version: number,
): Promise<number> {
  const count = await shop.database.transaction(async (tx) => {
    const approved = await tx
      .updateTable('review')
      .set({ state: 'visible' })
      .where('id', '=', id)
      .where('version', '=', version)
      .where('state', '=', 'pending')
      .returning('name')
      .executeTakeFirst();
    if (!approved) {
      const { state } = await requireVersion(tx, id, version);
      if (state !== 'visible') throw changedMeanwhile();
      return 0;
    }
    await writeAudit(tx, { ...toActor(actor), action: 'approveReview', target: id, name: approved.name });
    return 1;
  });
  if (count > 0) shop.invalidateCache();
  return count;
}

/**
 * Adds the shop's public answer, changes it, or removes it if it is empty. Returns the review's new version, and whether anything
 * changed. Throws 404 if there is no such review; 409 if the review or its answer has changed since `version`.
 */
export async function answerReview(
  shop: Shop,
  id: string,
  actor: SessionUser,
  { version, answer }: { version: number; answer: string },
): Promise<{ modifiedCount: number; version: number }> {
  const result = await shop.database.transaction(async (tx) => {
    const before = await requireVersion(tx, id, version);
    if (before.answer === answer) return { modifiedCount: 0, version };
    await updateReview(tx, id, version, { answer, answered_at: answer === '' ? null : Date.now() });
    const changes: Changes = { answer: [before.answer, answer] };
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'answerReview',
      target: id,
      name: before.name,
      changes,
    });
    return { modifiedCount: 1, version: version + 1 };
  });
  if (result.modifiedCount > 0) shop.invalidateCache();
  return result;
}

/** Makes a new version. Throws 409 if `version` is not the review's current one. */
async function updateReview(
  tx: Tx,
  id: string,
  version: number,
  changes: Updateable<Schema['review']>,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('review')
    .set({ ...changes, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw changedMeanwhile();
}

/** Throws 404 if there is no such review; 409 if it has another version. */
async function requireVersion(tx: Tx, id: string, version: number) {
  const review = await getReview(tx, id);
  if (review.version !== version) throw changedMeanwhile();
  return review;
}

async function getReview(tx: Tx, id: string) {
  const review = await tx
    .selectFrom('review')
    .select(['name', 'state', 'hidden_reason', 'answer', 'version'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!review) throw notFound('review');
  return review;
}

const changedMeanwhile = () =>
  new ShopError(
    'edit_conflict',
    'This review has changed since you opened it. Read it again, then try again.',
  );

/**
 * Returns 1, or 0 if the viewer has already reported the review. Throws 404 unless the review is visible; 429 above the daily
 * limit.
 */
export function reportReview(
  { database, rateLimits }: Shop,
  id: string,
  viewer: SessionUser,
  reason: string,
): Promise<number> {
  const { engine } = database;
  const max = rateLimits.reportsPerUser;
  return database.transaction(async (tx) => {
    await consumeRateLimit(tx, `report ${viewer.id}`, max, {
      windowMs: dayMs,
      message: `You can report ${max} reviews a day`,
    });
    await requireAccount(tx, engine, viewer.id);
    const review = await tx
      .selectFrom('review')
      .select('id')
      .where('id', '=', id)
      .where('state', '=', 'visible')
      // Hiding or deleting the review waits for this report. Otherwise the report could outlive the review.
      .$if(engine === 'postgres', (reviews) => reviews.forUpdate())
      .executeTakeFirst();
    if (!review) throw notFound('review');
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('review_report')
      .values({ review_id: id, user_id: viewer.id, reason, created_at: Date.now() })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return Number(numInsertedOrUpdatedRows);
  });
}

/**
 * Dismisses the reports made until a time, so that later ones are not dismissed unseen. Returns the number of dismissed reports.
 * Throws 404 if there is no such review.
 *
 * On PostgreSQL, a report may still be dismissed unseen. Its time is some milliseconds before its commit, so a list that is read
 * between the two may lack the report but contain a newer one.
 */
export function dismissReports(
  { database }: Shop,
  id: string,
  actor: SessionUser,
  until: number,
): Promise<number> {
  return database.transaction(async (tx) => {
    const { name } = await getReview(tx, id);
    const { numDeletedRows } = await tx
      .deleteFrom('review_report')
      .where('review_id', '=', id)
      .where('created_at', '<=', until)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return 0;
    await writeAudit(tx, { ...toActor(actor), action: 'dismissReports', target: id, name });
    return Number(numDeletedRows);
  });
}
