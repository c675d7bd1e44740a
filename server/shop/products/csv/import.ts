import { createHash } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { maxImportBytes } from '../../../../contract/catalogue/product-file.ts';
import type { FileEncoding, ImportReport } from '../../../../contract/catalogue/product-import.ts';
import { ShopError } from '../../../../contract/errors.ts';
import type { Tx } from '../../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../../http/calls/idempotency.ts';
import type { ReadFile } from '../../../http/calls/route.ts';
import { createFairQueue } from '../../../http/rate-limit.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import { insertImage } from '../../images/upload.ts';
import type { Shop } from '../../shop.ts';
import { applyCreates, applyUpdates } from './apply.ts';
import { splitBody } from './completed-rows.ts';
import { findEarlierImport, rememberFile } from './imported-files.ts';
import { placeholderImage, placeholderPath } from './placeholder.ts';
import { emptyReport, type Plan, planImport } from './plan.ts';

type ImportRequest = {
  readFile: ReadFile;
  isDry: boolean;
  skipsUnmatched: boolean;
  columnNames: string[] | undefined;
  encoding: FileEncoding | undefined;
  /** How many bytes of the body follow the file (`completed-rows.ts`). */
  completedBytes: number;
  idempotencyKey: IdempotencyKey | undefined;
};

const maxAttempts = 10;

/**
 * Reads one file per admin at a time; further ones wait in their sockets, not in our memory. Applies one file at a time, because
 * two files that are compared with the same catalogue would add the same products twice. This works only within one process: with
 * several on PostgreSQL, admins who import the same new products at the same moment may still add them twice.
 */
export function createImporter(shop: Shop) {
  const takeTurn = createFairQueue(1, 20);
  const applyInTurn = createFairQueue(1, 20);
  return (
    viewer: SessionUser,
    { readFile, isDry, skipsUnmatched, columnNames, encoding, completedBytes, idempotencyKey }: ImportRequest,
  ): Promise<ImportReport> =>
    takeTurn(viewer.email, async () => {
      const body = await readFile(maxImportBytes);
      const { file, completed } = splitBody(body, completedBytes);
      const acceptsWindows1252 = isDry || encoding === 'windows-1252';
      const plan = () =>
        planImport(shop, viewer.id, file, { skipsUnmatched, columnNames, acceptsWindows1252, completed });
      if (isDry) {
        const { report } = await plan();
        const earlier = await findEarlierImport(shop.database.db, file);
        return earlier ? { ...report, earlier } : report;
      }
      const key = idempotencyKey && { ...idempotencyKey, request: hash(body, skipsUnmatched, columnNames) };
      return applyInTurn('', async () => {
        for (let attempt = 1; ; attempt++)
          try {
            return await applyPlan(shop, viewer, file, await plan(), key);
          } catch (error) {
            if (!isConflict(error) || attempt === maxAttempts) throw error;
          }
      });
    });
}

const hash = (file: Buffer, skipsUnmatched: boolean, columnNames: string[] = []) =>
  createHash('sha256')
    .update(columnNames.join() + (skipsUnmatched ? ';skip' : ''))
    .update('\n')
    .update(file)
    .digest('hex');

const isConflict = (error: unknown) => error instanceof ShopError && error.code === 'edit_conflict';

/**
 * Applies a plan that is validated already, so that other writers wait as briefly as possible. A replay returns only the counts of
 * the first import.
 */
async function applyPlan(
  shop: Shop,
  viewer: SessionUser,
  file: Buffer,
  plan: Plan,
  key: IdempotencyKey | undefined,
): Promise<ImportReport> {
  const { report } = plan;
  const id = uuidv7();
  const answer = [id, report.create, report.update, report.unchanged, report.delivered].join(' ');
  const first = await runIdempotently(shop.database, key, answer, async (tx) => {
    if (report.errorCount > 0) throw rejectFile(report);
    if (plan.creates.some(({ image }) => image === placeholderPath))
      await insertImage(tx, placeholderImage, null);
    await applyCreates(tx, plan.creates, viewer);
    await applyUpdates(shop, tx, plan.updates, viewer);
    if (report.create + report.update === 0) return;
    await auditImport(tx, viewer, id, report);
    await rememberFile(tx, file, id);
  });
  shop.invalidateCache();
  if (first === answer) return { ...report, insertedId: id };
  const [insertedId = '', create, update, unchanged, delivered = 0] = first.split(' ');
  return {
    ...emptyReport(),
    create: Number(create),
    update: Number(update),
    unchanged: Number(unchanged),
    delivered: Number(delivered),
    insertedId,
  };
}

/** Records the counts, and the values of the rows that the report lists, as in the file. */
async function auditImport(
  tx: Tx,
  viewer: SessionUser,
  id: string,
  { create, update, delivered, rows }: ImportReport,
): Promise<void> {
  const changes: Record<string, [string, string]> = {};
  for (const { row, name, changes: fields } of rows.filter(({ action }) => action === 'update'))
    for (const { field, before, after } of fields) {
      const key = `${name}, ${field}`;
      // Another product may have the same name.
      changes[key in changes ? `${key} (row ${row})` : key] = [before, after];
    }
  await writeAudit(tx, {
    ...toActor(viewer),
    action: 'importProducts',
    target: id,
    name: `${create} added, ${update} changed${delivered > 0 ? `, ${delivered} pieces delivered` : ''}`,
    changes,
  });
}

function rejectFile({ errors, errorCount }: ImportReport): ShopError {
  const fieldErrors = errors.map(({ row, field, message }) => ({
    field: field ? `row ${row}, ${field}` : `row ${row}`,
    message,
  }));
  const count = errorCount === 1 ? 'One value is' : `${errorCount} values are`;
  const [first] = fieldErrors;
  const detail = `${count} wrong, so nothing was imported. ${first?.field}: ${first?.message}`;
  return new ShopError('invalid', detail, { errors: fieldErrors });
}
