import { createHash } from 'node:crypto';
import { invalidRequest, StripeApiError, type StripeResponse, toErrorResponse } from './errors.ts';
import type { StripeDatabase } from './tables.ts';

const retentionMs = 24 * 60 * 60 * 1000;
/** How long a key stays locked after its process died. */
const lockMs = 30_000;

export type ReplayableResponse = StripeResponse & { original?: string };
/** Stores a response, in the transaction that produced it. */
export type StoreResponse = (transaction: StripeDatabase, response: StripeResponse) => Promise<void>;

/**
 * Stores the response to a request under its `Idempotency-Key` for 24 hours, in the transaction of the change. If the same request
 * comes again, it gets the stored response, or 409 while the first is still running. A different request with the same key is
 * rejected. Requests that fail validation are not stored. https://docs.stripe.com/api/idempotent_requests
 */
export async function runIdempotently(
  db: StripeDatabase,
  request: { key: string; id: string; fingerprint: string },
  work: (store: StoreResponse) => Promise<StripeResponse>,
): Promise<ReplayableResponse> {
  const { key } = request;
  if (key.length > 255) throw invalidRequest('Idempotency keys have up to 255 characters.');
  const hash = createHash('sha256').update(request.fingerprint).digest('hex');
  const replay = await claimKey(db, key, hash, request.id);
  if (replay) return replay;

  const store: StoreResponse = async (transaction, { status, body }) => {
    await transaction
      .updateTable('stripe_idempotency')
      .set({ status, body: JSON.stringify(body) })
      .where('key', '=', key)
      .where('request', '=', request.id)
      .execute();
  };
  try {
    return await work(store);
  } catch (error) {
    if (!(error instanceof StripeApiError) || !isStored(error)) {
      await db
        .deleteFrom('stripe_idempotency')
        .where('key', '=', key)
        .where('request', '=', request.id)
        // If the connection failed during the commit, the change may have been made, and then the response is stored.
        .where('status', 'is', null)
        .execute();
      throw error;
    }
    const response = toErrorResponse(error.status, error.error);
    await store(db, response);
    return response;
  }
}

/** Whether the response to an error is stored. Responses about rate limits, server errors and invalid parameters are not. */
const isStored = ({ status, error }: StripeApiError) => status < 429 && !error.code?.startsWith('parameter_');

/** Frees space only: `claimKey` reclaims an expired key that is used again. */
export async function deleteExpiredKeys(db: StripeDatabase): Promise<void> {
  await db
    .deleteFrom('stripe_idempotency')
    .where('made', '<', Date.now() - retentionMs)
    .execute();
}

/** Claims the key for this request (undefined), or returns the response stored under it. */
async function claimKey(
  db: StripeDatabase,
  key: string,
  hash: string,
  request: string,
): Promise<ReplayableResponse | undefined> {
  const now = Date.now();
  const claim = { asked: hash, request, made: now, locked_until: now + lockMs, status: null, body: null };
  const inserted = await db
    .insertInto('stripe_idempotency')
    .values({ key, ...claim })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .executeTakeFirst();
  if (Number(inserted.numInsertedOrUpdatedRows) === 1) return undefined;

  const row = await db.selectFrom('stripe_idempotency').selectAll().where('key', '=', key).executeTakeFirst();
  const inUse = new StripeApiError(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key: ${key}. Please try again later.`,
  });
  if (!row) throw inUse;
  const expired = Number(row.made) + retentionMs < now;
  if (!expired && row.asked !== hash) {
    throw new StripeApiError(400, {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
        `Try using a key other than '${key}' if you meant to execute a different request.`,
    });
  }
  if (!expired && row.status !== null && row.body !== null) {
    return { status: row.status, body: JSON.parse(row.body), original: row.request };
  }
  if (!expired && Number(row.locked_until) > now) throw inUse;
  const reclaimed = await db
    .updateTable('stripe_idempotency')
    .set(claim)
    .where('key', '=', key)
    .where('request', '=', row.request)
    .executeTakeFirst();
  if (Number(reclaimed.numUpdatedRows) !== 1) throw inUse;
  return undefined;
}
