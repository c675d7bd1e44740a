import type { ExpressionBuilder } from 'kysely';
import { ShopError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import type { Db, Schema } from '../database/schema.ts';

/** How many tries of each kind in ten minutes, unless stated otherwise. Passed to the app, so that tests can raise them. */
export type RateLimits = {
  /** Failed sign-ins for a network address and e-mail together. */
  signInsPerAddressAndEmail: number;
  signInsPerAddress: number;
  signUpsPerAddress: number;
  intentsPerUser: number;
  uploadsPerUser: number;
  /** Per day. It is a quota: only reviews that are added count. */
  reviewsPerUser: number;
};

export const defaultRateLimits: RateLimits = {
  signInsPerAddressAndEmail: 10,
  signInsPerAddress: 50,
  signUpsPerAddress: 30,
  intentsPerUser: 30,
  uploadsPerUser: 60,
  reviewsPerUser: 20,
};

const minuteMs = 60 * 1000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/**
 * Takes one of `max` tries under `name` within `windowMs` (ten minutes by default), by one statement, so that
 * simultaneous tries count each. Throws 429 with `Retry-After`; its detail starts with `refusal`. If a try must not
 * count, give it back with `giveBackTry`, or take it in the transaction that fails with it.
 */
export async function consumeRateLimit(
  { db }: { db: Db },
  name: string,
  max: number,
  { windowMs = 10 * minuteMs, refusal = 'Too many tries' } = {},
): Promise<void> {
  const now = Date.now();
  const { count, ends_at } = await db
    .insertInto('tries')
    .values({ name, count: 1, ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({
        count: eb
          .case()
          .when(isOver(eb, now, windowMs))
          .then(1)
          .else(eb('tries.count', '+', 1))
          .end(),
        ends_at: eb
          .case()
          .when(isOver(eb, now, windowMs))
          .then(now + windowMs)
          .else(eb.ref('tries.ends_at'))
          .end(),
      })),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow();
  if (count > max) {
    const waitMs = Math.max(1, ends_at - now);
    const wait =
      waitMs > 2 * hourMs ? `${Math.ceil(waitMs / hourMs)} hours` : `${Math.ceil(waitMs / minuteMs)} minutes`;
    throw new ShopError('too_many_tries', `${refusal}: wait ${wait} and try again.`, {
      retryAfter: Math.ceil(waitMs / 1000),
    });
  }
}

/** A window that ends too far in the future was opened before the clock was set back, and would last too long. */
const isOver = (eb: ExpressionBuilder<Pick<Schema, 'tries'>, 'tries'>, now: number, windowMs: number) =>
  eb.or([eb('tries.ends_at', '<=', now), eb('tries.ends_at', '>', now + 2 * windowMs)]);

export async function restoreRateLimit({ db }: Database, name: string): Promise<void> {
  await db
    .updateTable('tries')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('name', '=', name)
    .where('count', '>', 0)
    .execute();
}

/** Deletes the windows that are over. The longest window decides what ends too far in the future. */
export async function deleteExpiredRateLimits({ db }: Database): Promise<void> {
  const now = Date.now();
  await db
    .deleteFrom('tries')
    .where((eb) => isOver(eb, now, dayMs))
    .execute();
}
