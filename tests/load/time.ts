import type { DatabaseLocation } from '../../server/config/config.ts';
import { withDatabases } from '../support/auditor.ts';
import { allowState, type Ledger } from './ledger.ts';

/**
 * Changes the rows of a stopped shop as if time had passed: leases expire, messages are due, unconfirmed payments and refunds age,
 * and a quarter of the holds end. Drops pending webhooks, so that only the periodic work can find their payments. In `ledger`,
 * unpaid orders may now expire.
 */
export function letTimePass(place: DatabaseLocation, ledger: Ledger): Promise<void> {
  for (const order of ledger.orders.values()) if (order.allowed.has('')) allowState(order, 'expired');
  return withDatabases(place, async ({ shop, provider }) => {
    await shop.deleteFrom('lease').execute();
    await shop.updateTable('mail').set({ due_at: 0 }).where('state', '=', 'waiting').execute();
    await shop
      .updateTable('payment')
      .set((eb) => ({ created_at: eb('created_at', '-', 61_000) }))
      .where('state', '=', 'open')
      .execute();
    await shop
      .updateTable('refund')
      .set((eb) => ({ created_at: eb('created_at', '-', 61_000) }))
      .where('status', '=', 'pending')
      .execute();
    const unpaid = await shop
      .selectFrom('order_line')
      .select('purchase_id')
      .where('status', '=', '')
      .execute();
    const ended = unpaid.filter((_, index) => index % 4 === 0).map(({ purchase_id }) => purchase_id);
    await shop
      .updateTable('purchase')
      .set({ hold_until: 1 })
      // PostgreSQL rejects an empty list.
      .where('id', 'in', ['', ...ended])
      .execute();
    await provider.updateTable('stripe_idempotency').set({ locked_until: 0 }).execute();
    await provider.deleteFrom('stripe_delivery').where('event', 'like', 'evt\\_%').execute();
    // Due deliveries complete pending refunds, and fail some refunds that have succeeded.
    await provider.updateTable('stripe_delivery').set({ due: 0 }).execute();
  });
}
