import type { Tx } from '../../database/schema.ts';
import type { Shop } from '../shop.ts';
import { type Calendar, promiseDates } from './dates.ts';
import { readDaysOff } from './holidays.ts';
import { readShipping } from './shipping.ts';

/** Reads the days on which the shop sends parcels. Not for a transaction: loading the holidays takes long. */
export async function readCalendar({ database, config }: Shop): Promise<Calendar> {
  const shipping = await readShipping(database.db);
  const { cutOff, workingDays } = shipping;
  return { cutOff, workingDays, timeZone: config.timeZone, isHoliday: await readDaysOff(shipping) };
}

/** Stores when a purchase arrives that has just been paid: the chosen rate took this many working days when it was chosen. */
export async function storePromise(
  tx: Tx,
  calendar: Calendar,
  { id, days_min, days_max }: { id: string; days_min: number | null; days_max: number | null },
): Promise<void> {
  if (days_min === null || days_max === null) return;
  const promise = promiseDates(calendar, [days_min, days_max], Date.now());
  if (!promise) return;
  const { from: arrives_from, to: arrives_to, sendBy: send_by } = promise;
  await tx.updateTable('purchase').set({ arrives_from, arrives_to, send_by }).where('id', '=', id).execute();
}
