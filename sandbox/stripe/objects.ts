import type Stripe from 'stripe';
import { invalidRequest, lockTimeout, noSuchObject } from './errors.ts';
import { findForm, findInteger, findText, type StripeForm } from './form.ts';
import type { StripeDatabase } from './tables.ts';

interface StoredEvent {
  id: string;
  object: 'event';
  api_version: Stripe.LatestApiVersion;
  created: number;
  data: { object: object };
  livemode: false;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: Stripe.Event.Type;
}

interface Kinds {
  payment_intent: Stripe.PaymentIntent;
  payment_method: Stripe.PaymentMethod;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  event: StoredEvent;
}
type Kind = keyof Kinds;

export interface StoredObject<K extends Kind> {
  object: Kinds[K];
  version: number;
  behaviour: string | null;
}

let lastTimestamp = 0;
/** The time in microseconds, strictly increasing within the process. */
function nextTimestamp(): number {
  lastTimestamp = Math.max(lastTimestamp + 1, Date.now() * 1000);
  return lastTimestamp;
}

export async function insertObject<K extends Kind>(
  db: StripeDatabase,
  kind: K,
  object: Kinds[K],
  columns: { belongs_to?: string; behaviour?: string } = {},
): Promise<void> {
  await db
    .insertInto('stripe_object')
    .values({
      id: object.id,
      kind,
      belongs_to: columns.belongs_to ?? null,
      behaviour: columns.behaviour ?? null,
      made: nextTimestamp(),
      version: 1,
      body: JSON.stringify(object),
    })
    .execute();
}

/** Throws Stripe's `resource_missing`, which names the parameter that referred to the object. */
export async function getObject<K extends Kind>(
  db: StripeDatabase,
  kind: K,
  id: string,
  param?: string,
  status?: 400 | 404,
): Promise<StoredObject<K>> {
  const row = await db
    .selectFrom('stripe_object')
    .select(['body', 'version', 'behaviour'])
    .where('id', '=', id)
    .where('kind', '=', kind)
    .executeTakeFirst();
  if (!row) throw noSuchObject(kind === 'payment_method' ? 'PaymentMethod' : kind, id, param, status);
  const object: Kinds[K] = JSON.parse(row.body);
  return { object, version: row.version, behaviour: row.behaviour };
}

/**
 * Updates an object only if its version is still the one that was read, so of two concurrent calls (confirm and confirm,
 * confirm and cancel) one succeeds and the other is retried.
 */
export async function replaceObject<K extends Kind>(
  db: StripeDatabase,
  { version }: StoredObject<K>,
  object: Kinds[K],
): Promise<void> {
  const result = await db
    .updateTable('stripe_object')
    .set({ body: JSON.stringify(object), version: version + 1 })
    .where('id', '=', object.id)
    .where('version', '=', version)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) !== 1) throw lockTimeout();
}

/** One page of a list, newest first. `belongsTo` filters refunds by payment intent, disputes by charge. */
export async function listObjects(
  db: StripeDatabase,
  kind: Kind,
  form: StripeForm,
  url: string,
  belongsTo?: string,
): Promise<object> {
  const limit = findInteger(form, 'limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw invalidRequest('Invalid integer: limit must be between 1 and 100', { param: 'limit' });
  }
  let query = db.selectFrom('stripe_object').select('body').where('kind', '=', kind);
  if (belongsTo !== undefined) query = query.where('belongs_to', '=', belongsTo);
  const since = findInteger(findForm(form, 'created'), 'gte');
  if (since !== undefined) query = query.where('made', '>=', since * 1_000_000);
  const after = findText(form, 'starting_after');
  if (after) {
    const last = await db
      .selectFrom('stripe_object')
      .select('made')
      .where('id', '=', after)
      .where('kind', '=', kind)
      .executeTakeFirst();
    if (!last) throw noSuchObject(kind, after, 'starting_after', 400);
    query = query.where('made', '<', last.made);
  }
  const rows = await query
    .orderBy('made', 'desc')
    .limit(limit + 1)
    .execute();
  const data: unknown[] = rows.slice(0, limit).map((row) => JSON.parse(row.body));
  return { object: 'list', data, has_more: rows.length > limit, url };
}
