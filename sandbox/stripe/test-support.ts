import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import pg from 'pg';
import Stripe from 'stripe';
import { makeDatabase } from '../../tests/support/database.ts';
import { openStripe, type StripeStandIn } from './stripe.ts';

export const cardIntent = { allowed_payment_method_types: ['card' as const], amount: 1999, currency: 'usd' };
export const paidIntent = { ...cardIntent, confirm: true, payment_method: 'pm_card_visa' };

/** The object in the first event of a type. */
export const objectOf = (received: Stripe.Event[], type: Stripe.Event.Type) =>
  received.find((event) => event.type === type)?.data.object;

/** The Stripe error that a call rejects with. */
export async function errorOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw new Error(`expected a Stripe error, got ${error}`);
}

type OnCleanup = (cleanup: () => Promise<void>) => void;

/** A new database. On SQLite, all users of it share one connection, as in a shop. */
export async function openTestDatabase(
  engine: 'sqlite' | 'postgres',
  onCleanup: OnCleanup,
): Promise<Kysely<unknown>> {
  const { place, drop } = await makeDatabase(engine);
  const db = 'file' in place ? openFile(place.file) : openPostgres(place.url);
  onCleanup(async () => {
    await db.destroy();
    await drop();
  });
  return db;
}

/** One shop process: the stand-in, the official client connected to it, and a webhook that records events. */
export async function startShop(db: Kysely<unknown>, onCleanup: OnCleanup) {
  const received: Stripe.Event[] = [];
  const webhook = { status: () => 200 };
  const standIn: StripeStandIn = await openStripe({
    db,
    webhookUrl: () => 'http://shop.test/api/webhooks/stripe',
    async deliver(request) {
      const status = webhook.status();
      const signature = request.headers.get('stripe-signature') ?? '';
      const payload = await request.text();
      const event = stripe.webhooks.constructEvent(payload, signature, standIn.webhookSecret);
      if (status < 300) received.push(event);
      return new Response(null, { status });
    },
  });
  const stripe = createStripeClient(standIn, standIn.secretKey);
  onCleanup(() => standIn.close());
  return { standIn, stripe, received, webhook };
}

/** The official client, connected to the stand-in instead of api.stripe.com. */
export function createStripeClient(standIn: StripeStandIn, key: string) {
  const toStandIn: typeof fetch = (url, init) => {
    const { pathname, search } = new URL(String(url));
    return standIn.fetch(new Request(`http://shop.test/sandbox/stripe${pathname}${search}`, init));
  };
  return new Stripe(key, {
    httpClient: Stripe.createFetchHttpClient(toStandIn),
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

function openPostgres(connectionString: string): Kysely<unknown> {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString });
  // Dropping the database breaks connections that are still closing.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

function openFile(file: string): Kysely<unknown> {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000');
  const bound = (values: readonly unknown[]) =>
    values.map(
      (value): SQLInputValue => (value === null ? null : typeof value === 'number' ? value : `${value}`),
    );
  const prepare = (text: string) => {
    const statement = database.prepare(text === 'begin' ? 'begin immediate' : text);
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...bound(values)),
      run: (values: readonly unknown[]) => statement.run(...bound(values)),
      iterate: (values: readonly unknown[]) => statement.iterate(...bound(values)),
    };
  };
  return new Kysely({
    dialect: new SqliteDialect({ database: { close: () => database.close(), prepare } }),
  });
}
