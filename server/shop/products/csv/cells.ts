import { z } from 'zod';
import { maxImages, productEdit } from '../../../../contract/catalogue/product-edit.ts';
import type { RowMessage } from '../../../../contract/catalogue/product-import.ts';
import { newProduct } from '../../../../contract/catalogue/products.ts';
import { parseAmount, parsePieces, quantity } from '../../../../contract/fields.ts';
import type { CsvRow } from './read.ts';

/** The fields that an import can change, and the pieces that it adds to the stock. */
export const editedRow = productEdit.omit({ version: true }).extend({
  archived: z.boolean('Archived must be yes or no').optional(),
  delivery: quantity('Delivery').optional(),
});

const { name, price, o_quantity, a_quantity, description } = newProduct.shape;
/** The fields of a new product. */
export const newRow = editedRow.extend({
  ...{ name, price, o_quantity, a_quantity, description },
  delivery: z.never('Empty this cell: a new product starts with its available quantity').optional(),
});

/** The columns that a new product needs. */
export const requiredColumns = ['name', 'price', 'o_quantity', 'a_quantity', 'description'] as const;

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
    price: (cell) => parseAmount(cell) ?? null,
    o_quantity: (cell) => parsePieces(cell) ?? null,
    a_quantity: (cell) => parsePieces(cell) ?? null,
    lowStock: (cell) => parsePieces(cell) ?? null,
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
