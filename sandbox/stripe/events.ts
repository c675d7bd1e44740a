import type Stripe from 'stripe';
import { type CallContext, nowInSeconds } from './call.ts';
import { insertObject } from './objects.ts';
import { newId, type StripeDatabase } from './tables.ts';

export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';

/**
 * Writes an event and its place in the outbox, in the transaction of the change that it tells of: a change
 * without its event, or an event without its change, cannot be.
 */
export async function recordEvent(
  asked: CallContext,
  type: Stripe.Event.Type,
  object: object,
): Promise<void> {
  const id = newId('evt');
  await insertObject(asked.db, 'event', {
    id,
    object: 'event',
    api_version: apiVersion,
    created: nowInSeconds(),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: asked.requestId, idempotency_key: asked.idempotencyKey },
    type,
  });
  await schedule(asked.db, id, 0);
}

/** Milliseconds until a pending payment or refund changes. */
export const pendingDelayMs = 60_000;

/** Puts an event or a task into the queue; see `startDeliveries`. */
export async function schedule(db: StripeDatabase, id: string, delay: number): Promise<void> {
  const now = Date.now();
  await db
    .insertInto('stripe_delivery')
    .values({ event: id, made: now, due: now + delay, attempts: 0 })
    .onConflict((conflict) => conflict.column('event').doNothing())
    .execute();
}
