import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/** Only text, integer and bigint columns, so that both database engines behave alike. */
export type StripeTables = {
  stripe_setting: { name: string; value: string };
  /** Every resource as Stripe's JSON. `version` guards changes (see `replaceObject`); lists filter by `belongs_to`. */
  stripe_object: {
    id: string;
    kind: string;
    belongs_to: string | null;
    /** A payment method's `CardBehaviour` as JSON; the card number is not stored. */
    behaviour: string | null;
    /** Creation time in microseconds, unique within a process; lists are sorted by it. */
    made: number;
    version: number;
    body: string;
  };
  stripe_idempotency: {
    key: string;
    /** Hash of the path and parameters. */
    asked: string;
    /** Id of the request that holds the key. */
    request: string;
    /** Creation time in milliseconds, as in `stripe_delivery`. */
    made: number;
    /** Until this time, another request with this key gets 409. */
    locked_until: number;
    /** The response to replay; null while the request is running. */
    status: number | null;
    body: string | null;
  };
  /** The queue: events that the webhook has not accepted yet, and intents and refunds that will change when their row is due. */
  stripe_delivery: { event: string; made: number; due: number; attempts: number };
};

export type StripeDatabase = Kysely<StripeTables>;

export interface StripeKeys {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  account: string;
}

/** Creates missing tables and keys. An existing database keeps its keys. */
export async function prepareDatabase(db: StripeDatabase): Promise<StripeKeys> {
  await createTables(db);
  const fresh: StripeKeys = {
    secretKey: `sk_test_${randomText(48)}`,
    publishableKey: `pk_test_${randomText(48)}`,
    webhookSecret: `whsec_${randomText(48)}`,
    account: `acct_${randomText(16)}`,
  };
  await db
    .insertInto('stripe_setting')
    .values({ name: 'keys', value: JSON.stringify(fresh) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db
    .selectFrom('stripe_setting')
    .select('value')
    .where('name', '=', 'keys')
    .executeTakeFirstOrThrow();
  const keys: StripeKeys = JSON.parse(row.value);
  return keys;
}

/** The columns of each table, primary key first; `?` marks nullable ones. */
const columns = {
  stripe_setting: 'name text, value text',
  stripe_object:
    'id text, kind text, belongs_to text?, behaviour text?, made bigint, version integer, body text',
  stripe_idempotency:
    'key text, asked text, request text, made bigint, locked_until bigint, status integer?, body text?',
  stripe_delivery: 'event text, made bigint, due bigint, attempts integer',
};
const indexes = { stripe_object: ['kind', 'made'], stripe_delivery: ['due'] };

async function createTables(db: StripeDatabase): Promise<void> {
  for (const [table, list] of Object.entries(columns)) {
    let create = db.schema.createTable(table).ifNotExists();
    for (const [index, column] of list.split(', ').entries()) {
      const [name = '', type = ''] = column.split(' ');
      create = create.addColumn(name, sql.raw(type.replace('?', '')), (definition) =>
        index === 0 ? definition.primaryKey() : type.endsWith('?') ? definition : definition.notNull(),
      );
    }
    await retryOnce(() => create.execute());
  }
  for (const [table, names] of Object.entries(indexes)) {
    const create = db.schema.createIndex(`${table}_${names[0]}`).ifNotExists().on(table).columns(names);
    await retryOnce(() => create.execute());
  }
}

/** In PostgreSQL, concurrent `create … if not exists` can fail in one process; the retry finds the table. */
const retryOnce = (create: () => Promise<void>) => create().catch(create);

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => letters.charAt(byte % letters.length)).join('');
}

export const newId = (prefix: string) => `${prefix}_${randomText(24)}`;
