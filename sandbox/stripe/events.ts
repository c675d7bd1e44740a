import type Stripe from 'stripe';
import { type CallContext, nowInSeconds } from './call.ts';
import { insertObject } from './objects.ts';
import { newId, type StripeDatabase } from './tables.ts';

export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';

/** Writes an event and queues its delivery, in the same transaction as the change that it reports. */
export async function recordEvent(
  context: CallContext,
  type: Stripe.Event.Type,
  object: object,
): Promise<void> {
  const id = newId('evt');
  await insertObject(context.db, 'event', {
    id,
    object: 'event',
    api_version: apiVersion,
    created: nowInSeconds(),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: context.requestId, idempotency_key: context.idempotencyKey },
    type,
  });
  await schedule(context.db, id, 0);
}

/** How long a processing payment or a pending refund waits for its final result. */
export const pendingDelayMs = 60_000;

/** Queues the delivery of an event or, after `delayMs`, the final result of a payment or refund. `startDeliveries` handles both. */
export async function schedule(db: StripeDatabase, id: string, delayMs: number): Promise<void> {
  const now = Date.now();
  await db
    .insertInto('stripe_delivery')
    .values({ event: id, made: now, due: now + delayMs, attempts: 0 })
    .onConflict((conflict) => conflict.column('event').doNothing())
    .execute();
}

/** Removes a row from the queue. Returns false if there is none. */
export async function unschedule(db: StripeDatabase, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('stripe_delivery')
    .where('event', '=', id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
