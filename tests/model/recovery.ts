import type { Fault } from '../../sandbox/stripe/stripe.ts';
import { withDatabases } from '../support/auditor.ts';
import { requestStripe } from '../support/payments.ts';
import type { World } from './world.ts';

/** Ends the provider's faults, lets time pass, and runs the periodic work, which settles what is open. */
export async function recover({ shop }: World, faults: Fault[]): Promise<void> {
  // Use up the faults that no request has triggered yet.
  for (const { call } of faults) {
    const [method, path = ''] = call.replace('/v1', '').replace(':id', 'none').split(' ');
    await requestStripe(shop, method === 'GET' ? 'GET' : 'POST', path).catch(() => undefined);
  }
  // The periodic work looks for lost responses only after a minute.
  const { db } = shop.database;
  await db.updateTable('payment').set({ created_at: 1 }).where('intent', 'is', null).execute();
  await db.updateTable('refund').set({ created_at: 1 }).where('status', '=', 'pending').execute();
  // A failure that the provider has stored under a refund's key is replayed for a day.
  await withDatabases(shop.config.database, ({ provider }) =>
    provider.deleteFrom('stripe_idempotency').where('key', 'like', '%:refund:%').execute(),
  );
  // The first run finds intents whose responses were lost, the second settles them.
  await shop.doPeriodicWork();
  await shop.doPeriodicWork();
}
