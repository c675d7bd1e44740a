import { dayMs } from '../../../contract/durations.ts';
import { ShopError } from '../../../contract/errors.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { createToken, findToken } from './tokens.ts';

/* A user can undo a change of address for seven days. Until then, nobody else can have the former address. */

const undoDays = 7;
const getUndoEnd = () => new Date(Date.now() + undoDays * dayMs);

/** The id of the row that lets a user restore a former address. The row exists before its token. */
export const undoRowId = (email: string): string => `${undoPrefix}${email}`;

const undoPrefix = 'undo address change ';

/** The address in the id of an undo row. */
export const readUndoRowId = (id: string): string => id.slice(undoPrefix.length);

/**
 * Reserves a former address and lets the user restore it with a link. Writing the message with the link sets the token.
 * An address that was never confirmed may not be the user's own, so it gets no such link.
 */
export async function allowUndo(tx: Tx, userId: string, from: string): Promise<void> {
  const now = new Date();
  const row = {
    identifier: createToken('undo address change').identifier,
    value: userId,
    expiresAt: getUndoEnd(),
    createdAt: now,
    updatedAt: now,
  };
  await tx
    .insertInto('verification')
    .values({ id: undoRowId(from), ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Makes a change of address final. Also forgets trusted devices and sign-ins that wait for a code. */
export async function denyUndo(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('verification').where('value', '=', userId).execute();
}

/**
 * Like `denyUndo`, but addresses that were replaced before the undone change keep their links. The address that undid the change
 * may itself be an intruder's.
 */
export async function denyLaterUndo(tx: Tx, userId: string, undone: { createdAt: Date | string }) {
  await tx
    .deleteFrom('verification')
    .where('value', '=', userId)
    .where(({ or, eb }) =>
      or([eb('id', 'not like', `${undoPrefix}%`), eb('createdAt', '>', undone.createdAt)]),
    )
    .execute();
}

/** Creates the token of the link that undoes a change, valid for seven days. Undefined if it can no longer be undone. */
export async function issueUndoToken(db: Db, userId: string, from: string): Promise<string | undefined> {
  const { token, identifier } = createToken('undo address change');
  const { numUpdatedRows } = await db
    .updateTable('verification')
    .set({ identifier, expiresAt: getUndoEnd() })
    .where('id', '=', undoRowId(from))
    .where('value', '=', userId)
    .where('expiresAt', '>', new Date())
    .executeTakeFirst();
  return numUpdatedRows > 0n ? token : undefined;
}

/**
 * Whether a user can have the address: no other user has it or can restore it. The accounts are queried first: once a change has
 * taken the address from its account, the undo row that the change added is visible, too.
 */
export async function isFree(db: Db | Tx, address: string, userId: string): Promise<boolean> {
  const owner = await db.selectFrom('user').select('id').where('email', '=', address).executeTakeFirst();
  if (owner && owner.id !== userId) return false;
  const former = await findFormerUser(db, address);
  return former === undefined || former === userId;
}

/** The id of the user who can restore a former address. */
export async function findFormerUser(db: Db | Tx, address: string): Promise<string | undefined> {
  const row = db
    .selectFrom('verification')
    .select('value')
    .where('id', '=', undoRowId(address))
    .where('expiresAt', '>', new Date());
  return (await row.executeTakeFirst())?.value;
}

/**
 * Throws 409 while a former address can still undo a change: either address may be an intruder's, and only the operator can
 * find out which.
 */
export async function requireSettledAddress(db: Db | Tx, email: string): Promise<void> {
  const command = `npm run reset-password -- ${email}`;
  if (await findFormerUser(db, email))
    throw new ShopError(
      'conflict',
      `The account that had ${email} now has another address. If its owner still has this one, first run ${command}, which restores it.`,
    );
  const user = await db.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst();
  const former = user ? await listFormerAddresses(db, user.id) : [];
  if (former.length > 0)
    throw new ShopError(
      'conflict',
      `Until recently, this account had the address ${former.join(' or ')}, which can still undo the change. Find out who owns the account. If it is the person with ${email}, run ${command} --no-undo. Otherwise, name the former address in the command, which restores it.`,
    );
}

/** Throws 404 if the account has another address, or has been deleted. Lock the user's row first. */
export async function requireAddress(tx: Tx, userId: string, email: string): Promise<void> {
  const user = tx.selectFrom('user').select('id').where('id', '=', userId).where('email', '=', email);
  if (!(await user.executeTakeFirst()))
    throw new ShopError('not_found', `There is no account with ${email}.`);
}

/** The new address that a link confirms. Undefined if the link is another user's or no longer works. */
export async function findRequestedAddress(
  db: Db,
  userId: string,
  token: string,
): Promise<string | undefined> {
  const row = await findToken(db, 'change address', token);
  return row?.id === `change address ${userId}` ? row.value : undefined;
}

/** The addresses that can still undo a change. */
export async function listFormerAddresses(db: Db | Tx, userId: string): Promise<string[]> {
  const others = await listOtherAddresses(db, userId);
  return others.flatMap(({ email, kind, expiresAt }) =>
    kind === 'former' && new Date(expiresAt) > new Date() ? [email] : [],
  );
}

/** The address to which a user has requested a change, and the former addresses that they can restore. */
export async function listOtherAddresses(db: Db | Tx, userId: string) {
  const rows = db.selectFrom('verification').select(['id', 'value', 'expiresAt']);
  const requested = await rows.where('id', '=', `change address ${userId}`).execute();
  // The user's other rows are trusted devices and sign-ins that wait for their second step, perhaps many.
  const former = await rows.where('value', '=', userId).where('id', 'like', `${undoPrefix}%`).execute();
  const toEnd = (expiresAt: Date | string) => new Date(expiresAt).toISOString();
  return [
    ...requested.map(({ value, expiresAt }) => ({
      email: value,
      kind: 'requested' as const,
      expiresAt: toEnd(expiresAt),
    })),
    ...former.map(({ id, expiresAt }) => ({
      email: readUndoRowId(id),
      kind: 'former' as const,
      expiresAt: toEnd(expiresAt),
    })),
  ];
}
