import type { Db, Tx } from '../../database/schema.ts';

/** The name of the setting about the backup that this database was restored from; a sandbox and a new database have none. */
const settingName = 'restored backup';

/** Times are in milliseconds. `isReconciled`: payments and refunds since the backup have been read from the provider. */
export type RestoredBackup = { made: number; restored: number; isReconciled: boolean };

export async function saveRestoredBackup(db: Db | Tx, backup: RestoredBackup): Promise<void> {
  const value = JSON.stringify(backup);
  await db
    .insertInto('setting')
    .values({ name: settingName, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

export async function readRestoredBackup(db: Db): Promise<RestoredBackup | undefined> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', settingName)
    .executeTakeFirst();
  if (!row) return undefined;
  const { made, restored, isReconciled }: Record<keyof RestoredBackup, unknown> = JSON.parse(row.value);
  return { made: Number(made), restored: Number(restored), isReconciled: isReconciled === true };
}
