import { createHash } from 'node:crypto';
import { invalidRequest, StripeApiError, type StripeResponse, toErrorResponse } from './errors.ts';
import type { StripeDatabase } from './tables.ts';

const keptFor = 24 * 60 * 60 * 1000;
/** A process that died while it worked on a key holds it for this long. */
const lockedFor = 30_000;

export type ReplayableResponse = StripeResponse & { original?: string };
/** Keeps an answer, in the transaction that it came from. */
export type StoreResponse = (within: StripeDatabase, answer: StripeResponse) => Promise<void>;

/**
 * One answer for one `Idempotency-Key`, kept for 24 hours with the change that it tells of (one transaction):
 * the same request gets it again, another request under the key is refused, a second one while the first is
 * at work gets 409. Requests that failed validation are not kept. https://docs.stripe.com/api/idempotent_requests
 */
export async function runIdempotently(
  db: StripeDatabase,
  request: { key: string; id: string; asked: string },
  work: (keep: StoreResponse) => Promise<StripeResponse>,
): Promise<ReplayableResponse> {
  const { key } = request;
  if (key.length > 255) throw invalidRequest('Idempotency keys have up to 255 characters.');
  const asked = createHash('sha256').update(request.asked).digest('hex');
  const earlier = await takeKey(db, key, asked, request.id);
  if (earlier) return earlier;

  const keep: StoreResponse = async (within, { status, body }) => {
    await within
      .updateTable('stripe_idempotency')
      .set({ status, body: JSON.stringify(body) })
      .where('key', '=', key)
      .where('request', '=', request.id)
      .execute();
  };
  try {
    return await work(keep);
  } catch (error) {
    if (!(error instanceof StripeApiError) || !isKept(error)) {
      await db
        .deleteFrom('stripe_idempotency')
        .where('key', '=', key)
        .where('request', '=', request.id)
        .execute();
      throw error;
    }
    const answer = toErrorResponse(error.status, error.error);
    await keep(db, answer);
    return answer;
  }
}

const isKept = ({ status, error }: StripeApiError) => status < 429 && !error.code?.startsWith('parameter_');

/** Drops the keys whose time is over; an expired key that comes again is taken anew without this. */
export async function deleteExpiredKeys(db: StripeDatabase): Promise<void> {
  await db
    .deleteFrom('stripe_idempotency')
    .where('made', '<', Date.now() - keptFor)
    .execute();
}

/** Takes the key for this request (undefined), or gives the answer that it already has. */
async function takeKey(
  db: StripeDatabase,
  key: string,
  asked: string,
  request: string,
): Promise<ReplayableResponse | undefined> {
  const now = Date.now();
  const mine = { asked, request, made: now, locked_until: now + lockedFor, status: null, body: null };
  const inserted = await db
    .insertInto('stripe_idempotency')
    .values({ key, ...mine })
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
  const expired = Number(row.made) + keptFor < now;
  if (!expired && row.asked !== asked) {
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
  const taken = await db
    .updateTable('stripe_idempotency')
    .set(mine)
    .where('key', '=', key)
    .where('request', '=', row.request)
    .executeTakeFirst();
  if (Number(taken.numUpdatedRows) !== 1) throw inUse;
  return undefined;
}
