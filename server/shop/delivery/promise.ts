import type { Shop } from '../shop.ts';
import { type ArrivalPromise, promiseDates } from './dates.ts';
import { readDaysOff } from './holidays.ts';
import { readShipping } from './shipping.ts';

/**
 * When a purchase that is paid now will arrive, by the working days that were stored when its rate was chosen. Undefined if nothing
 * is promised. Call it before the transaction, because loading the holidays takes long. It never throws: a payment must not fail
 * because its dates cannot be calculated.
 */
export async function promiseArrival(
  { database: { db }, config, log }: Shop,
  purchaseId: string,
): Promise<ArrivalPromise | undefined> {
  try {
    const purchase = await db
      .selectFrom('purchase')
      .select(['days_min', 'days_max'])
      .where('id', '=', purchaseId)
      .executeTakeFirst();
    const { days_min: min = null, days_max: max = null } = purchase ?? {};
    if (min === null || max === null) return undefined;
    const shipping = await readShipping(db);
    const calendar = { ...shipping, timeZone: config.timeZone, daysOff: await readDaysOff(shipping) };
    return promiseDates(calendar, [min, max], Date.now());
  } catch (error) {
    log.error({ order: purchaseId, error }, 'the dates of arrival could not be calculated');
    return undefined;
  }
}
