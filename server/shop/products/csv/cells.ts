import { z } from 'zod';
import { maxImages, productEdit } from '../../../../contract/catalogue/product-edit.ts';
import {
  mapFields,
  productFieldNames,
  requiredFields,
} from '../../../../contract/catalogue/product-fields.ts';
import { exportColumns } from '../../../../contract/catalogue/product-file.ts';
import type { RowMessage } from '../../../../contract/catalogue/product-import.ts';
import { parseField } from '../../../../contract/catalogue/product-schemas.ts';
import { newProduct } from '../../../../contract/catalogue/products.ts';
import { parsePieces, quantity } from '../../../../contract/fields.ts';
import type { CsvRow } from './read.ts';

/** The fields that an import can change, and the pieces that it adds to the stock. */
export const editedRow = productEdit.omit({ version: true }).extend({
  archived: z.boolean('Archived must be yes or no').optional(),
  delivery: quantity('Delivery').optional(),
});

const { shape } = newProduct;
type Required = Pick<typeof shape, (typeof requiredFields)[number]>;
/** The fields of a new product. */
export const newRow = editedRow.extend({
  ...(mapFields(requiredFields, (name) => shape[name]) as Required),
  a_quantity: shape.a_quantity,
  delivery: z.never('Empty this cell: a new product starts with its available quantity').optional(),
});

/** The columns that a new product needs. */
export const requiredColumns = exportColumns.filter((column) =>
  ['a_quantity', ...requiredFields].includes(column),
);

const flags = new Map([
  ['yes', true],
  ['true', true],
  ['no', false],
  ['false', false],
]);

/** The URLs in a cell, separated by spaces or line breaks: at most one more than a product may have. */
export const splitImages = (cell = ''): string[] => cell.split(/\s+/, maxImages + 1).filter(Boolean);

/** The values of a row's cells, by field, as validation expects them; an empty number is null. */
export function parseCells(cells: CsvRow['cells'], fields: readonly string[]): Record<string, unknown> {
  const parsers: Record<string, (cell: string) => unknown> = {
    ...mapFields(productFieldNames, (name) => (cell: string) => parseField(name, cell) ?? null),
    a_quantity: (cell) => parsePieces(cell) ?? null,
    delivery: (cell) => parsePieces(cell) ?? null,
    archived: (cell) => flags.get(cell.toLowerCase()) ?? cell,
    images: splitImages,
  };
  return Object.fromEntries(
    Object.entries(cells)
      .filter(([field]) => fields.includes(field))
      .map(([field, cell]) => [field, (parsers[field] ?? String)(cell)]),
  );
}

/** The first error of each field of a row. */
export function listErrors(row: number, { issues }: z.ZodError): RowMessage[] {
  const messages = new Map<string, string>();
  for (const { path, message } of issues) {
    const field = String(path[0] ?? '');
    if (!messages.has(field)) messages.set(field, message);
  }
  return [...messages].map(([field, message]) => ({ row, field, message }));
}
