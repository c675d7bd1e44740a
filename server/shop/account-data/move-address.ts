import { sql } from 'kysely';
import { accountNoticeKinds } from '../../../contract/mail.ts';
import type { Tx } from '../../database/schema.ts';
import type { AddressMove } from '../../identity/recovery/replace-address.ts';
import { writeAudit } from '../audit/audit.ts';

/**
 * Changes a user's address in everything that belongs to them. Their actions as an admin stay attributed to the former
 * address; the audit log connects the two. `tests/personal-data.test.ts` checks every column.
 */
export async function moveAddress(tx: Tx, { engine, user, from, to }: AddressMove): Promise<void> {
  await tx
    .updateTable('purchase')
    .set({ email: to })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('orders').select('orders.purchase_id').where('orders.email', '=', from),
    )
    .execute();
  for (const table of ['orders', 'review'] as const)
    await tx.updateTable(table).set({ email: to }).where('email', '=', from).execute();
  // Lock the products in the order of their ids, as orders do.
  if (engine === 'postgres')
    await tx.selectFrom('product').select('id').where('email', '=', from).orderBy('id').forUpdate().execute();
  for (const table of ['product', 'picture'] as const)
    await tx.updateTable(table).set({ email: to }).where('email', '=', from).execute();
  // Anyone can sign up with someone else's address: what belongs to an unconfirmed one may not be the user's.
  if (user.wasConfirmed) {
    await tx.updateTable('contact_message').set({ email: to }).where('email', '=', from).execute();
    await moveSubscription(tx, from, to);
  }
  await moveMail(tx, from, to, user.wasConfirmed ? 0 : new Date(user.createdAt).getTime());
  if (user.role === 'admin')
    await writeAudit(tx, {
      ...{ who: from, what: 'changeEmail', of: to, name: user.name },
      changes: { email: [from, to] },
    });
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

/**
 * Messages since `since` follow the user, except unsent ones about the account itself: an intruder may have changed the
 * address to keep them from its owner. Unsent links for the former address would no longer work.
 */
async function moveMail(tx: Tx, from: string, to: string, since: number): Promise<void> {
  for (const state of ['waiting', 'failed']) {
    const isUnsent = sql<boolean>`state = ${sql.lit(state)}`;
    await tx
      .deleteFrom('mail')
      .where(isUnsent)
      .where('recipient', '=', from)
      .where('kind', 'in', ['confirm address', 'reset password'])
      .execute();
    await tx
      .updateTable('mail')
      .set({ recipient: to })
      .where(isUnsent)
      .where('recipient', '=', from)
      .where('kind', 'not in', [...accountNoticeKinds, 'newsletter', 'contact message'])
      .where('created_at', '>=', since)
      .execute();
  }
  await tx
    .updateTable('mail')
    .set({ recipient: to })
    .where(sql<boolean>`state = ${sql.lit('sent')}`)
    .where('recipient', '=', from)
    .where('created_at', '>=', since)
    .execute();
}
