import { setImmediate } from 'node:timers/promises';
import type { ChangedRow, ImportReport, RowMessage } from '../../../../contract/catalogue/product-import.ts';
import { ShopError } from '../../../../contract/errors.ts';
import { foldLine } from '../../../../contract/text.ts';
import { findUnknownImages } from '../../images/upload.ts';
import type { Shop } from '../../shop.ts';
import { listImages } from '../images.ts';
import { findProducts, type ProductRow } from '../products.ts';
import { editedRow, splitImages } from './cells.ts';
import { type CompletedRows, maxCompletedRows } from './completed-rows.ts';
import { detectEncoding, saveAdvice } from './dialect.ts';
import type { CatalogueRow } from './export.ts';
import { ambiguous, createNameFinder } from './names.ts';
import { type CsvRow, readRows } from './read.ts';
import { type PlannedRow, planCreate, planUpdate, quote, type Update } from './row.ts';

/** The changes that a file would make. */
export type Plan = { report: ImportReport; creates: CatalogueRow[]; updates: Update[] };

/** Rows per query. Between batches, other requests are served. */
const batchSize = 500;
/** How many messages and changed rows the report lists. */
const maxListed = 100;

/** `columnNames` replaces the names in the file's first row. */
type Options = {
  skipsUnmatched: boolean;
  columnNames: string[] | undefined;
  /** Whether to read a file in Windows-1252: in a preview, or after an admin has checked its letters there. */
  acceptsWindows1252: boolean;
  completed: CompletedRows;
};

/**
 * Reads a file and compares it with the catalogue, in memory that grows only with what it changes. Throws 400, 413 or 422 if the
 * whole file is invalid. Errors in single rows are in the report.
 */
export async function planImport(
  shop: Shop,
  userId: string,
  file: Buffer,
  { skipsUnmatched, columnNames, acceptsWindows1252, completed }: Options,
): Promise<Plan> {
  const encoding = detectEncoding(file);
  if (encoding === 'windows-1252' && !acceptsWindows1252)
    throw new ShopError(
      'unreadable',
      `The file is not encoded as UTF-8, but perhaps as Windows-1252. ${saveAdvice} Or preview it, and set encoding=windows-1252.`,
    );
  const plan: Plan = { report: { ...emptyReport(), encoding }, creates: [], updates: [] };
  /** The rows by what identifies their product: the id or, in a file without ids, the name. */
  const rowsByKey = new Map<string, number>();
  let findByName: Awaited<ReturnType<typeof createNameFinder>> | undefined;
  for await (const batch of inBatches(readRows(file, encoding, columnNames))) {
    if (batch[0] && !('id' in batch[0].cells)) findByName ??= await createNameFinder(shop.database);
    const named = batch.map((one) => ({
      ...one,
      id: one.cells.id ?? findByName?.(one.cells.name ?? '') ?? '',
    }));
    // An id that is too long or cannot be printed is unknown.
    const ids = named.map(({ id }) => id).filter((id) => /^[\x21-\x7e]{1,300}$/.test(id));
    const products = await findProducts(shop.database.db, ids);
    const images = named.flatMap(({ id, cells }) => {
      const product = products.get(id);
      const current = product ? listImages(product) : [];
      // A row with an invalid list is rejected later, so its images are not looked up.
      const { data = [] } = editedRow.shape.images.safeParse(splitImages(cells.images));
      return data.filter((url) => !current.includes(url));
    });
    const unknownImages = await findUnknownImages(shop.config, shop.database.db, images);
    for (const one of named) {
      const key = one.cells.id ?? (one.id || foldLine(one.cells.name ?? ''));
      const earlierRow = key ? rowsByKey.get(key) : undefined;
      if (key) rowsByKey.set(key, earlierRow ?? one.row);
      addToPlan(plan, planRow(one, products.get(one.id), earlierRow, unknownImages), skipsUnmatched);
    }
    await setImmediate();
  }
  return plan;

  function planRow(
    { id, ...line }: CsvRow & { id: string },
    product: ProductRow | undefined,
    earlierRow: number | undefined,
    unknownImages: Set<string>,
  ): PlannedRow {
    const reject = (field: string, message: string): PlannedRow => {
      return { action: 'reject', errors: [{ row: line.row, field, message }] };
    };
    const by = line.cells.id === undefined ? 'name' : 'id';
    if (id === ambiguous) return reject('name', 'Several products have this name. Identify them by id.');
    if (id && !product)
      return {
        action: 'unmatched',
        row: line.row,
        field: 'id',
        reason: `There is no product with the id ${quote(id)}.`,
        advice: 'Correct the id, or remove this row from the file. To add a product, leave this cell empty.',
      };
    const unknown = splitImages(line.cells.images).find((url) => unknownImages.has(url));
    if (unknown)
      return reject('images', 'An image must be one that was uploaded here, with its URL as in an export.');
    const planned = product
      ? planUpdate(shop, line, product)
      : planCreate(shop, userId, line, completed.get(line.row));
    return planned.action === 'unmatched' || earlierRow === undefined
      ? planned
      : reject(by, `Row ${earlierRow} has the same product or name.`);
  }
}

export const emptyReport = (): ImportReport => ({
  create: 0,
  update: 0,
  changed: {},
  largePriceChanges: 0,
  unchanged: 0,
  unmatched: 0,
  incomplete: [],
  delivered: 0,
  errors: [],
  errorCount: 0,
  notes: [],
  noteCount: 0,
  rows: [],
});

/** Lists deliveries last, so that many of them do not hide other changes. */
function listRow(rows: ChangedRow[], change: ChangedRow): void {
  const firstDelivery = isDelivery(change) ? -1 : rows.findIndex(isDelivery);
  rows.splice(firstDelivery < 0 ? rows.length : firstDelivery, 0, change);
  rows.splice(maxListed);
}

const isDelivery = ({ changes }: ChangedRow) => changes.every(({ field }) => field === 'delivery');

function addToPlan({ report, creates, updates }: Plan, planned: PlannedRow, skipsUnmatched: boolean): void {
  if (planned.incomplete && report.incomplete.length < maxCompletedRows)
    report.incomplete.push(planned.incomplete);
  if (planned.action === 'unmatched') {
    const { row, field, reason, advice } = planned;
    report.unmatched += 1;
    if (skipsUnmatched) {
      report.noteCount += 1;
      addUpTo(report.notes, [{ row, field, message: `Skipped: ${reason}` }]);
    } else {
      report.errorCount += 1;
      addUpTo(report.errors, [{ row, field, message: `${reason} ${advice}` }]);
    }
    return;
  }
  if (planned.action === 'reject') {
    report.errorCount += planned.errors.length;
    addUpTo(report.errors, planned.errors);
    return;
  }
  report.noteCount += planned.notes.length;
  addUpTo(report.notes, planned.notes);
  if (planned.action === 'keep') {
    report.unchanged += 1;
    return;
  }
  report[planned.action] += 1;
  listRow(report.rows, planned.change);
  if (planned.action === 'create') {
    creates.push(planned.product);
    return;
  }
  report.delivered += planned.update.delivery;
  if (planned.update.hasLargePriceChange) report.largePriceChanges += 1;
  for (const { field } of planned.change.changes)
    if (field !== 'delivery') report.changed[field] = (report.changed[field] ?? 0) + 1;
  updates.push(planned.update);
}

const addUpTo = (list: RowMessage[], more: RowMessage[]) =>
  list.push(...more.slice(0, maxListed - list.length));

async function* inBatches(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvRow[]> {
  let batch: CsvRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
