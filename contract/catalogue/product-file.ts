// In its own file, so that the import page does not load the schemas.

import {
  fieldGroups,
  mapFields,
  type ProductField,
  productFieldNames,
  productFields,
} from './product-fields.ts';

/** A column that is not in `productFields`. */
type OtherColumn = 'id' | 'version' | 'a_quantity' | 'delivery' | 'archived' | 'images';
export type FileColumn = ProductField | OtherColumn;

const { lines, numbers, options, texts } = fieldGroups;

/** Whether the cells of a column may have several lines. */
export const isLongColumn = (column: FileColumn): boolean => texts.some((name) => name === column);

/** The columns of an export, in order. An import accepts them in any order. */
export const exportColumns: readonly FileColumn[] = [
  'id',
  'version',
  ...lines,
  ...numbers,
  'a_quantity',
  'delivery',
  ...options,
  'archived',
  'images',
  ...texts,
];

/** The names of the columns on pages and in messages. */
export const columnLabels: Record<FileColumn, string> = {
  ...mapFields(productFieldNames, (name) => productFields[name].label),
  id: 'Id',
  version: 'Version',
  a_quantity: 'Available quantity',
  delivery: 'Delivery',
  archived: 'Archived',
  images: 'Images',
};

export const maxImportBytes = 20_000_000;
export const maxImportRows = 20_000;
