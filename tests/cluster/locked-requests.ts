import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Tx } from '../../server/database/schema.ts';
import type { TestUser } from '../support/requests.ts';
import type { TestShop } from '../support/shop.ts';
import { waitUntil } from '../support/wait.ts';

/** Holds `lock`'s row while sending the requests one by one, each once the previous one waits for a lock. */
export async function sendWhileLocked(
  { database: { db, transaction } }: TestShop,
  lock: (tx: Tx) => Promise<unknown>,
  requests: (() => Promise<unknown>)[],
): Promise<unknown[]> {
  const waiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const sent: Promise<unknown>[] = [];
  await transaction(async (tx) => {
    await lock(tx);
    for (const request of requests) {
      sent.push(request());
      await waitUntil(async () => expect((await waiting.execute(db)).rows).toHaveLength(sent.length));
    }
  });
  return Promise.all(sent);
}

export const deleteUser = (shop: TestShop, person: TestUser) => {
  const { email, password } = person;
  return shop.client(person).call('deleteUser', { params: { email }, body: { password } });
};

/** A lock for `sendWhileLocked`. */
export const lockProduct = (id: string) => (tx: Tx) =>
  tx.updateTable('product').set({ name: 'Pivot Gauge' }).where('id', '=', id).execute();
