import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/** What the stand-in keeps. Only text, integer and bigint columns, so that both engines behave alike. */
export type StripeTables = {
  stripe_setting: { name: string; value: string };
  /** Every resource as Stripe's JSON; `version` guards each change, `belongs_to` is what lists filter by. */
  stripe_object: {
    id: string;
    kind: string;
    belongs_to: string | null;
    /** What a payment method's test card does (JSON); the number itself is never kept. */
    behaviour: string | null;
    /** Microseconds, different for each row of a process: the order of lists. */
    made: number;
    version: number;
    body: string;
  };
  stripe_idempotency: {
    key: string;
    asked: string;
    request: string;
    made: number;
    locked_until: number;
    status: number | null;
    body: string | null;
  };
  /**
   * The queue: events, until the webhook has responded with 2xx, and ids of intents or refunds that change when they
   * are due.
   */
  stripe_delivery: { event: string; made: number; due: number; attempts: number };
};

export type StripeDatabase = Kysely<StripeTables>;

export interface StripeKeys {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  account: string;
}

/** Makes the tables and the keys of a new database; an old one answers with the keys that it has. */
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
  const kept = await db
    .selectFrom('stripe_setting')
    .select('value')
    .where('name', '=', 'keys')
    .executeTakeFirstOrThrow();
  const keys: StripeKeys = JSON.parse(kept.value);
  return keys;
}

/** The columns of each table, the primary key first; `?` may be null. */
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
    for (const [at, column] of list.split(', ').entries()) {
      const [name = '', type = ''] = column.split(' ');
      create = create.addColumn(name, sql.raw(type.replace('?', '')), (definition) =>
        at === 0 ? definition.primaryKey() : type.endsWith('?') ? definition : definition.notNull(),
      );
    }
    await twice(() => create.execute());
  }
  for (const [table, of] of Object.entries(indexes)) {
    const create = db.schema.createIndex(`${table}_${of[0]}`).ifNotExists().on(table).columns(of);
    await twice(() => create.execute());
  }
}

/**
 * Two processes that create the same table at once can collide inside PostgreSQL even with "if not exists":
 * the one that lost finds the table at its second look.
 */
const twice = (create: () => Promise<void>) => create().catch(create);

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => letters.charAt(byte % letters.length)).join('');
}

export const newId = (prefix: string) => `${prefix}_${randomText(24)}`;
