import { hourMs } from '../../../contract/durations.ts';
import { countAttempt } from '../../http/rate-limit.ts';
import type { MailRow } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';

/**
 * Counts a message against the limit `name`, of `max` per `windowMs`. Returns whether it may be sent. A message counts once,
 * however often sending is retried.
 */
export async function countMessage(
  { database }: Pick<Shop, 'database'>,
  { attempts }: Pick<MailRow, 'attempts'>,
  name: string,
  max: number,
  windowMs = hourMs,
): Promise<boolean> {
  if (attempts > 1) return true;
  return (await countAttempt(database, name, windowMs)).count <= max;
}
