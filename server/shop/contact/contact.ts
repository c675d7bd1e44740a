import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import type { contactMessage } from '../../../contract/accounts/contact.ts';
import { hourMs } from '../../../contract/durations.ts';
import { ShopError } from '../../../contract/errors.ts';
import { checkRateLimit, consumeRateLimit } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { addMail } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';
import { countUnanswered, isFull } from './messages.ts';

/**
 * Stores a visitor's message and sends it to the shopkeeper. The visitor gets no copy, because anyone could use it to send text to
 * others. Throws 404 if there is no contact form, 409 if too many messages are unanswered, and 429 above a rate limit.
 */
export async function receiveContactMessage(
  shop: Shop,
  { email, message }: z.output<typeof contactMessage>,
  viewer: SessionUser | undefined,
  networkAddress: string,
): Promise<void> {
  const { config, database } = shop;
  const { contactEmail } = config;
  if (!contactEmail) throw new ShopError('not_found', 'This shop has no contact form.');
  await limitMessages(shop, viewer?.emailVerified ? viewer : undefined, networkAddress);
  const id = uuidv7();
  await database.transaction(async (tx) => {
    if (isFull(await countUnanswered(tx).executeTakeFirstOrThrow()))
      throw new ShopError('conflict', 'This shop cannot receive more messages right now.');
    await tx
      .insertInto('contact_message')
      .values({ id, email, text: message, created_at: Date.now() })
      .execute();
    await addMail(tx, [{ kind: 'contact message', recipient: contactEmail, about: id }]);
  });
}

/**
 * Strangers cannot use up the limits of users with confirmed addresses, and a few senders cannot use up the limits of all others.
 */
async function limitMessages(
  { database, rateLimits }: Shop,
  user: SessionUser | undefined,
  networkAddress: string,
): Promise<void> {
  const options = { windowMs: hourMs, message: 'Too many messages' };
  const sender = `contact from ${user?.id ?? networkAddress}`;
  const usersAtAddress = `contact of users at ${networkAddress}`;
  const { contactMessagesPerSender: maxPerSender, contactMessagesOfUsersPerAddress: maxAtAddress } =
    rateLimits;
  const group = user ? ' of users' : '';
  /** The limit that all senders of this kind share. `count` is how many messages this sender has sent, including this one. */
  const pickShared = (count: number): [name: string, max: number] =>
    count === 1
      ? [`first contact${group}`, rateLimits.firstContactMessages]
      : [`contact${group}`, rateLimits.contactMessages];
  const earlier = await checkRateLimit(database, sender, maxPerSender, options);
  if (user) await checkRateLimit(database, usersAtAddress, maxAtAddress, options);
  await checkRateLimit(database, ...pickShared(earlier + 1), options);
  await database.transaction(async (tx) => {
    const count = await consumeRateLimit(tx, sender, maxPerSender, options);
    if (user) await consumeRateLimit(tx, usersAtAddress, maxAtAddress, options);
    await consumeRateLimit(tx, ...pickShared(count), options);
  });
}
