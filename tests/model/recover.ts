import type { Fault } from '../../sandbox/stripe/stripe.ts';
import { askStripe } from '../support/payments.ts';
import type { World } from './world.ts';

/** The provider is well again and time passes: the look finds what is open, as it does every two minutes. */
export async function recover({ shop }: World, faults: Fault[]): Promise<void> {
  // A fault that nothing has met yet is met here.
  for (const { call } of faults) {
    const [method, path = ''] = call.replace('/v1', '').replace(':id', 'none').split(' ');
    await askStripe(shop, method === 'GET' ? 'GET' : 'POST', path).catch(() => undefined);
  }
  // A lost answer is not looked for before a minute has passed.
  const { db } = shop.database;
  await db.updateTable('payment').set({ created_at: 1 }).where('intent', 'is', null).execute();
  // The first look finds lost answers, the second what has become of them.
  await shop.doPeriodicWork();
  await shop.doPeriodicWork();
}
