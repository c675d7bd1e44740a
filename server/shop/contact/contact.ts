import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import type { contactMessage } from '../../../contract/accounts/contact.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { firstIdAt } from '../../database/id-range.ts';
import { consumeRateLimits, dayMs, hourMs } from '../../http/rate-limit.ts';
import { addMail } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';

/** Longer than the outbox keeps a message and retries it. */
const keepMs = 34 * dayMs;

/**
 * Sends a visitor's message to the shopkeeper. The visitor gets no copy, because anyone could use it to send text to
 * others. Throws 404 if there is no contact form, and 429 for too many messages.
 */
export async function receiveContactMessage(
  { config, database, rateLimits }: Shop,
  { email, message }: z.output<typeof contactMessage>,
  address: string,
): Promise<void> {
  const { contactEmail } = config;
  if (!contactEmail) throw new ShopError('not_found', 'This shop has no contact form.');
  await consumeRateLimits(
    database,
    {
      [`contact from ${address}`]: rateLimits.contactMessagesPerAddress,
      contact: rateLimits.contactMessages,
    },
    { windowMs: hourMs, message: 'Too many messages' },
  );
  const id = uuidv7();
  await database.transaction(async (tx) => {
    await tx
      .insertInto('contact_message')
      .values({ id, email, text: message, created_at: Date.now() })
      .execute();
    await addMail(tx, [{ kind: 'contact message', recipient: contactEmail, about: id }]);
  });
}

export async function deleteOldContactMessages({ db }: Database): Promise<void> {
  await db
    .deleteFrom('contact_message')
    .where('id', '<', firstIdAt(Date.now() - keepMs))
    .execute();
}
