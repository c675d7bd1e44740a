import { uuidv7 } from 'uuidv7';
import { isLargePriceChange } from '../../../../contract/catalogue/price-change.ts';
import { columnLabels, exportColumns } from '../../../../contract/catalogue/product-file.ts';
import type { ChangedRow, IncompleteRow, RowMessage } from '../../../../contract/catalogue/product-import.ts';
import { describeExcess, maxStock } from '../../../../contract/catalogue/stock.ts';
import { ShopError } from '../../../../contract/errors.ts';
import type { Shop } from '../../shop.ts';
import { listChanges } from '../edit.ts';
import { checkProduct, toNewColumns } from '../fields.ts';
import { listImages, toImageColumns } from '../images.ts';
import type { ProductRow } from '../products.ts';
import { editedRow, listErrors, newRow, parseCells, requiredColumns } from './cells.ts';
import { type CatalogueRow, type ProductCells, toCells } from './export.ts';
import { placeholderPath } from './placeholder.ts';
import { type CsvRow, normalizeText } from './read.ts';

/** `next` is the changed product, which still has its old version and stock; `delivery` is the number of pieces to add. */
export type Update = {
  next: ProductRow;
  isEdited: boolean;
  hasNewImages: boolean;
  hasLargePriceChange: boolean;
  delivery: number;
  change: ChangedRow;
};

/** A row's effect. `product` is the row to insert. An unmatched row matches no product and cannot add one. */
export type PlannedRow = (
  | { action: 'reject'; errors: RowMessage[] }
  | { action: 'unmatched'; row: number; field: string; reason: string; advice: string }
  | { action: 'keep'; notes: RowMessage[] }
  | { action: 'create'; product: CatalogueRow; change: ChangedRow; notes: RowMessage[] }
  | { action: 'update'; update: Update; change: ChangedRow; notes: RowMessage[] }
) & { incomplete?: IncompleteRow };

/** Long texts are cut in the report. */
const maxReportedCharacters = 200;
const maxQuotedCharacters = 60;

export function planUpdate(shop: Shop, { row, cells }: CsvRow, product: ProductRow): PlannedRow {
  const current = toCells(product, shop.currency);
  // Without an id, the name in the file identifies the product, and may differ from the product's in capitals and spaces.
  const identifying = cells.id === undefined ? 'name' : 'id';
  const differing = editedFields.filter((field) => {
    const cell = cells[field];
    if (cell === undefined || field === identifying || (cell === '' && keptIfEmpty.has(field))) return false;
    // Unchanged values are not validated: they may be older than the rules.
    return cell !== normalizeText(current[field]);
  });
  const stock = cells.a_quantity;
  const notes =
    stock === undefined || stock === current.a_quantity
      ? []
      : [
          {
            row,
            field: 'a_quantity',
            message: `Ignored: a file sets the stock only for new products, and this one has ${current.a_quantity}. Enter pieces that arrived as a delivery.`,
          },
        ];
  return rejectInvalid(row, () => {
    const parsed = editedRow.safeParse(parseCells(cells, differing));
    if (!parsed.success) return { action: 'reject', errors: listErrors(row, parsed.error) };
    const { delivery = 0, images, ...edit } = parsed.data;
    const changes = listChanges(
      shop,
      product,
      images ? { ...edit, images: mergeImages(product, images) } : edit,
    );
    const isEdited = Object.keys(changes).length > 0;
    if (!isEdited && delivery === 0) return { action: 'keep', notes };
    const level = product.available + delivery;
    if (delivery > 0 && level > maxStock)
      return { action: 'reject', errors: [{ row, field: 'delivery', message: describeExcess(level) }] };
    if (isEdited && cells.version && cells.version !== current.version)
      return { action: 'reject', errors: [{ row, field: 'version', message: changedSinceExport }] };
    const next = { ...product, ...changes };
    if (next.price !== product.price || next.minimum !== product.minimum) checkProduct(shop, next);
    const change = describe(
      row,
      'update',
      { ...current, delivery: current.a_quantity },
      { ...toCells(next, shop.currency), delivery: `${level}` },
    );
    const update = {
      next,
      isEdited,
      hasNewImages: 'further_images' in changes,
      hasLargePriceChange: isLargePriceChange(product.price, next.price),
      delivery,
      change,
    };
    return { action: 'update', update, change, notes };
  });
}

const changedSinceExport =
  'Changed since the export. Export again, or empty this cell to overwrite the other change.';

/** A single image replaces the first one and keeps the others: a supplier's file has one image per product. */
function mergeImages(product: ProductRow, images: string[]): string[] {
  const [first = '', ...others] = images;
  return others.length > 0 ? images : [...new Set([first, ...listImages(product).slice(1)])];
}

/** The columns of `editedRow`. */
const editedFields = Object.keys(editedRow.shape) as (keyof typeof editedRow.shape)[];

/** Columns that are often left empty although a product always has a value. */
const keptIfEmpty: ReadonlySet<string> = new Set(['images', 'archived']);

/** `added` are the values that an admin has entered for the row's empty cells. */
export function planCreate(
  shop: Shop,
  userId: string,
  { row, cells }: CsvRow,
  added: CsvRow['cells'] | undefined,
): PlannedRow {
  const own = countDelivery(cells);
  const empty = requiredColumns.filter((column) => !own[column]);
  const name = own.name ?? '';
  const planned = planNew(shop, userId, { row, cells: fillCells(own, added) }, added !== undefined);
  return name && empty.length > 0 ? { ...planned, incomplete: { row, name, missing: empty } } : planned;
}

/** The delivered pieces of a new product become its stock. */
function countDelivery(cells: CsvRow['cells']): CsvRow['cells'] {
  const { delivery, ...others } = cells;
  return cells.name && delivery && !cells.a_quantity ? { ...others, a_quantity: delivery } : cells;
}

function fillCells(own: CsvRow['cells'], added: CsvRow['cells'] = {}): CsvRow['cells'] {
  const filled = { ...own };
  for (const column of requiredColumns) if (!own[column] && added[column]) filled[column] = added[column];
  return filled;
}

function planNew(shop: Shop, userId: string, { row, cells }: CsvRow, isCompleted: boolean): PlannedRow {
  const missing = requiredColumns.filter((column) => cells[column] === undefined);
  if (missing.length > 0 && !isCompleted) return describeUnmatched(row, cells, missing);
  const filled = Object.entries(cells).flatMap(([field, cell]) => (cell === '' ? [] : [field]));
  return rejectInvalid(row, () => {
    const parsed = newRow.safeParse(parseCells(cells, filled));
    if (!parsed.success) return { action: 'reject', errors: listErrors(row, parsed.error) };
    const { data } = parsed;
    const now = Date.now();
    const product = {
      id: uuidv7(),
      ...toNewColumns(shop, data),
      ...toImageColumns(data.images ?? [placeholderPath]),
      available: data.a_quantity,
      user_id: userId,
      created_at: now,
      version: 1,
      archived_at: data.archived ? now : null,
    };
    checkProduct(shop, product);
    const { id, version, ...shown } = toCells(product, shop.currency);
    const change = describe(
      row,
      'create',
      {},
      {
        ...shown,
        images: data.images ? shown.images : '',
        archived: data.archived ? shown.archived : '',
      },
    );
    const message = 'Without an image, it gets a plain one until you choose another.';
    return {
      action: 'create',
      product,
      change,
      notes: data.images ? [] : [{ row, field: 'images', message }],
    };
  });
}

function describeUnmatched(
  row: number,
  { id, name }: CsvRow['cells'],
  missing: (keyof CsvRow['cells'])[],
): PlannedRow {
  const field = id === undefined ? 'name' : 'id';
  const isNamed = field === 'name' && name;
  const needed = missing.map((column) => columnLabels[column]).join(', ');
  return {
    action: 'unmatched',
    row,
    field,
    reason: isNamed ? `There is no product named ${quote(name)}.` : `This row has no ${field}.`,
    advice: `${isNamed ? 'Correct' : 'Enter'} the ${field}, or remove this row from the file. To add a product, the file also needs: ${needed}.`,
  };
}

function describe(
  row: number,
  action: ChangedRow['action'],
  before: Partial<ProductCells>,
  after: Partial<ProductCells>,
): ChangedRow {
  const changes = exportColumns.flatMap((field) => {
    const [old = '', current] = [before[field], after[field]];
    return current === undefined || current === old ? [] : { field, before: cut(old), after: cut(current) };
  });
  return { row, action, name: after.name ?? '', changes };
}

/** A cell's text within a message. */
export const quote = (text: string): string =>
  `“${text.length > maxQuotedCharacters ? `${text.slice(0, maxQuotedCharacters)}…` : text}”`;

const cut = (text: string) =>
  text.length > maxReportedCharacters ? `${text.slice(0, maxReportedCharacters)}…` : text;

/** Turns the shop's own errors about a field into errors of the row. */
function rejectInvalid(row: number, plan: () => PlannedRow): PlannedRow {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof ShopError) || error.code !== 'invalid') throw error;
    const errors = (error.errors ?? []).map(({ field, message }) => ({ row, field, message }));
    return { action: 'reject', errors };
  }
}
