import type { Db, Tx } from '../database/schema.ts';

/*
 * A settings document is a JSON text in a row of the table `setting`, which admins edit as a whole. It contains the number of its
 * edits.
 */

/** Returns undefined if the document was never edited. */
export async function readDocument(db: Db | Tx, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Returns false, and changes nothing, if another admin has replaced the document since it was read as `before`. */
export async function replaceDocument(
  tx: Tx,
  name: string,
  before: string | undefined,
  value: string,
): Promise<boolean> {
  if (before === undefined) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('setting')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await tx
    .updateTable('setting')
    .set({ value })
    .where('name', '=', name)
    .where('value', '=', before)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
