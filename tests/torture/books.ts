import type { Kysely } from 'kysely';
import type Stripe from 'stripe';
import type { Tables } from '../../sandbox/stripe/tables.ts';
import { connect, type Place } from '../../server/database/connect.ts';
import type { Schema } from '../../server/database/schema.ts';

export type Accounts = Awaited<ReturnType<typeof readShop>> & Awaited<ReturnType<typeof readProvider>>;
type Books = { shop: Kysely<Schema>; provider: Kysely<Tables> };

/**
 * Opens the shop's database and the provider's from outside of both, and closes them after `work`: on SQLite nobody
 * else may have them open when the shop is killed, or its start would have nothing to recover.
 */
export async function withBooks<T>(place: Place, work: (books: Books) => Promise<T>): Promise<T> {
  const beside: Place =
    'url' in place
      ? { url: place.url, schema: 'sandbox' }
      : { file: place.file.replace(/shop\.db$/, 'sandbox.db') };
  const shop = connect<Schema>(place).db;
  const provider = connect<Tables>(beside).db;
  try {
    return await work({ shop, provider });
  } finally {
    await shop.destroy();
    await provider.destroy();
  }
}

/** All accounts. The provider's come first: its money of the moment between may be in the shop's already. */
export async function readAccounts({ shop, provider }: Books): Promise<Accounts> {
  return { ...(await readProvider(provider)), ...(await readShop(shop)) };
}

/** Tables as they stand at one moment: on PostgreSQL each statement would else see its own. */
async function readShop(db: Kysely<Schema>) {
  return db
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => ({
      products: await tx.selectFrom('product').selectAll().execute(),
      orders: await tx.selectFrom('orders').selectAll().execute(),
      payments: await tx.selectFrom('payment').selectAll().execute(),
      deeds: await tx.selectFrom('audit').selectAll().execute(),
    }));
}

async function readProvider(db: Kysely<Tables>) {
  const rows = await db
    .selectFrom('stripe_object')
    .select(['kind', 'body'])
    .where('kind', 'in', ['payment_intent', 'refund'])
    .execute();
  const intents: Stripe.PaymentIntent[] = [];
  const refunds: Stripe.Refund[] = [];
  for (const { kind, body } of rows) {
    if (kind === 'payment_intent') intents.push(JSON.parse(body));
    else refunds.push(JSON.parse(body));
  }
  return { intents, refunds };
}

/**
 * Makes time pass for a shop that is closed: what a dead process held runs out, answers that were lost get old, some
 * holds end; and webhooks that were not delivered never come, so that the look alone has to find the money.
 */
export async function letTimePass({ shop, provider }: Books): Promise<void> {
  await shop.deleteFrom('lease').execute();
  await shop
    .updateTable('payment')
    .set((eb) => ({ created_at: eb('created_at', '-', 61_000) }))
    .where('state', '=', 'open')
    .execute();
  const unpaid = await shop.selectFrom('orders').select('id').where('status', '=', '').execute();
  const ended = unpaid.filter((_, at) => at % 4 === 0).map(({ id }) => id);
  await shop
    .updateTable('orders')
    .set({ hold_until: 1 })
    .where('id', 'in', ['', ...ended])
    .execute();
  await provider.updateTable('stripe_idempotency').set({ locked_until: 0 }).execute();
  await provider.deleteFrom('stripe_delivery').execute();
}
