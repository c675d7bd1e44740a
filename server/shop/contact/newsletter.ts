import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { contactCalls, Subscriber } from '../../../contract/accounts/contact.ts';
import type { Query } from '../../../contract/call.ts';
import { ShopError } from '../../../contract/errors.ts';
import { unsubscribePage } from '../../../contract/page-addresses.ts';
import type { Config } from '../../config/config.ts';
import { toDate, today, toZonedIso } from '../../config/time-zone.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { createCsvResponse } from '../../http/calls/csv.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { limitLinkRequests } from '../../identity/recovery/mail-limits.ts';
import { deleteToken, findToken } from '../../identity/recovery/tokens.ts';
import { addMail } from '../../mail/outbox.ts';
import type { Shop } from '../shop.ts';

type SubscriberRow = Selectable<Schema['subscriber']>;

const requireNewsletter = ({ newsletter }: Config): void => {
  if (!newsletter) throw new ShopError('not_found', 'This shop has no newsletter.');
};

/**
 * Sends a message with a link that subscribes its recipient. Known and unknown email addresses take the same steps. Throws
 * 404 if there is no newsletter, and 429 for too many requests from a network address.
 */
export async function requestSubscription(
  { config, database, rateLimits }: Shop,
  email: string,
  networkAddress: string,
): Promise<void> {
  requireNewsletter(config);
  await limitLinkRequests({ database, limits: rateLimits }, 'newsletter', networkAddress, email);
  await addMail(database.db, [{ kind: 'newsletter', recipient: email, about: '' }]);
}

/**
 * Returns 0 if the address was subscribed already: the link keeps working until the address is unsubscribed. Throws 422
 * for a link that is wrong or has expired.
 */
export async function confirmSubscription({ config, database }: Shop, token: string): Promise<number> {
  requireNewsletter(config);
  const found = await findToken(database.db, 'confirm subscription', token);
  if (!found) {
    const message = 'This link is wrong or has expired. Subscribe again to get a new one.';
    throw new ShopError('invalid', message, { errors: [{ field: 'token', message }] });
  }
  const { numInsertedOrUpdatedRows } = await database.db
    .insertInto('subscriber')
    .values({
      id: uuidv7(),
      email: found.value,
      token: randomBytes(24).toString('base64url'),
      confirmed_at: Date.now(),
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0);
}

/** Does nothing for an unknown token: the subscription may have ended already. */
export async function unsubscribe({ database }: Shop, token: string): Promise<void> {
  await database.transaction(async (tx) => {
    const ended = await tx
      .deleteFrom('subscriber')
      .where('token', '=', token)
      .returning('email')
      .executeTakeFirst();
    // Otherwise the confirmation link could subscribe the address again.
    if (ended) await deleteToken(tx, 'confirm subscription', ended.email);
  });
}

export const buildUnsubscribeUrl = ({ origins }: Config, { token }: { token: string }): string =>
  `${origins[0]}${unsubscribePage}?token=${encodeURIComponent(token)}`;

/** The confirmed addresses, oldest first, as JSON or as a file. */
export async function listSubscribers(
  { config, database: { db } }: Shop,
  query: Query<typeof contactCalls.listSubscribers>,
): Promise<Subscriber[] | Response> {
  const toSubscriber = (row: SubscriberRow): Subscriber => ({
    _id: row.id,
    email: row.email,
    confirmedAt: new Date(row.confirmed_at).toISOString(),
    unsubscribeUrl: buildUnsubscribeUrl(config, row),
  });
  if (query.format === undefined)
    return (await listAfter(db, query.after, toSqlLimit(query))).map(toSubscriber);
  const { timeZone } = config;
  return createCsvResponse(
    `newsletter-${toDate(today(timeZone))}.csv`,
    ['Email', `Confirmed (${timeZone})`, 'Unsubscribe'],
    (last: SubscriberRow | undefined, limit) => listAfter(db, last?.id, limit),
    (row) => {
      const { email, unsubscribeUrl } = toSubscriber(row);
      return [email, toZonedIso(row.confirmed_at, timeZone), unsubscribeUrl];
    },
  );
}

const listAfter = (db: Db, after = '', limit: number) =>
  db.selectFrom('subscriber').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();
