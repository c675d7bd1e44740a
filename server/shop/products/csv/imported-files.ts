import { createHash } from 'node:crypto';
import type { ImportReport } from '../../../../contract/catalogue/product-import.ts';
import type { Db, Tx } from '../../../database/schema.ts';

const maxFiles = 500;

/** Covers the file's bytes only, not the meanings that an admin chose for its headings. */
const toDigest = (file: Buffer): string => createHash('sha256').update(file).digest('hex');

/** Remembers that a file was imported, and forgets the oldest files, which have the lowest import ids. */
export async function rememberFile(tx: Tx, file: Buffer, importId: string): Promise<void> {
  await tx
    .insertInto('imported_file')
    .values({ digest: toDigest(file), import_id: importId })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ import_id: importId }))
    .execute();
  await tx
    .deleteFrom('imported_file')
    .where('import_id', '<', ({ selectFrom }) =>
      selectFrom((eb) =>
        eb
          .selectFrom('imported_file')
          .select('import_id')
          .orderBy('import_id', 'desc')
          .limit(maxFiles)
          .as('newest'),
      ).select(({ fn }) => fn.min('newest.import_id').as('oldest')),
    )
    .execute();
}

/** The last import of a file with the same content, from the audit log. */
export async function findEarlierImport(db: Db, file: Buffer): Promise<ImportReport['earlier']> {
  const entry = await db
    .selectFrom('imported_file')
    .innerJoin('audit', 'audit.target', 'imported_file.import_id')
    .where('digest', '=', toDigest(file))
    .select(['audit.created_at', 'audit.actor'])
    .executeTakeFirst();
  return entry && { at: new Date(entry.created_at).toISOString(), by: entry.actor };
}
