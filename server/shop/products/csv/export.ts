import { mapFields, productFieldNames } from '../../../../contract/catalogue/product-fields.ts';
import { exportColumns, type FileColumn } from '../../../../contract/catalogue/product-file.ts';
import { createCsvResponse } from '../../../http/calls/csv.ts';
import type { Shop } from '../../shop.ts';
import { readField } from '../fields.ts';
import { furtherImages, listImages } from '../images.ts';
import { isArchived, type ProductRow } from '../products.ts';

export type ProductCells = Record<FileColumn, string>;

/** A product without what the shop computes. */
export type CatalogueRow = Omit<
  ProductRow,
  'stock_seq' | 'rating_count' | 'rating_sum' | 'name_key' | 'category_key' | 'email'
>;

/** All products, archived ones too, in the format that the import accepts. */
export function exportProducts({ database: { db }, currency }: Shop): Response {
  const readAfter = (last: CatalogueRow | undefined, limit: number) =>
    db
      .selectFrom('product')
      .selectAll()
      .select(furtherImages.as('further_images'))
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(limit)
      .execute();
  return createCsvResponse('products.csv', exportColumns, readAfter, (row) => {
    const cells = toCells(row, currency);
    return exportColumns.map((column) => cells[column]);
  });
}

/** A product as it is exported. */
export const toCells = (row: CatalogueRow, currency: string): ProductCells => ({
  ...mapFields(productFieldNames, (name) => `${readField(name, row, currency) ?? ''}`),
  id: row.id,
  version: `${row.version}`,
  a_quantity: `${row.available}`,
  // Empty in an export, so that arrived pieces can be entered.
  delivery: '',
  // Spreadsheets translate `true` and `false`.
  archived: isArchived(row) ? 'yes' : 'no',
  images: listImages(row).join(' '),
});
