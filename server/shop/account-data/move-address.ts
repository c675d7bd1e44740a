import { sql } from 'kysely';
import type { Tx } from '../../database/schema.ts';
import type { AddressMove } from '../../identity/recovery/replace-address.ts';
import { writeAudit } from '../audit/audit.ts';

/**
 * Changes the address of what belongs to an address rather than to a user: messages with a link, contact messages and the
 * newsletter subscription. If the user is an admin, records the change in the audit log.
 */
export async function moveAddress(tx: Tx, { user, from, to }: AddressMove): Promise<void> {
  await claimMail(tx, user, from);
  // Anyone can sign up with someone else's address: what belongs to an unconfirmed address may not be the user's.
  if (user.wasConfirmed) {
    await tx.updateTable('contact_message').set({ email: to }).where('email', '=', from).execute();
    await moveSubscription(tx, from, to);
  }
  if (user.role === 'admin')
    await writeAudit(tx, {
      actor_id: user.id,
      actor: from,
      action: 'changeEmail',
      target: user.id,
      name: user.name,
      changes: { email: [from, to] },
    });
}

/**
 * Assigns the messages that were sent to the former address to the user, so that they are exported and deleted with the account.
 * If the address was never confirmed, leaves messages from before the account, which may have gone to someone else. Deletes unsent
 * links to the address, which would no longer work.
 */
async function claimMail(tx: Tx, user: AddressMove['user'], from: string): Promise<void> {
  const since = user.wasConfirmed ? 0 : new Date(user.createdAt).getTime();
  for (const state of ['waiting', 'failed'])
    await tx
      .deleteFrom('mail')
      // A literal, to match the condition of the partial index.
      .where(sql<boolean>`state = ${sql.lit(state)}`)
      .where('user_id', 'is', null)
      .where('recipient', '=', from)
      .where('kind', 'in', ['confirm address', 'reset password'])
      .execute();
  await tx
    .updateTable('mail')
    .set({ user_id: user.id })
    .where(sql<boolean>`state = ${sql.lit('sent')}`)
    .where('user_id', 'is', null)
    .where('recipient', '=', from)
    .where('created_at', '>=', since)
    .execute();
}

/** Keeps the subscription of the new address, if there is one. */
async function moveSubscription(tx: Tx, from: string, to: string): Promise<void> {
  await tx
    .updateTable('subscriber')
    .set({ email: to })
    .where('email', '=', from)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('subscriber as other').select('other.id').where('other.email', '=', to))),
    )
    .execute();
  await tx.deleteFrom('subscriber').where('email', '=', from).execute();
}
