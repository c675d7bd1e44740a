import { exportColumns } from '../../../../../contract/catalogue/product-file.ts';
import type { ImportReport } from '../../../../../contract/catalogue/product-import.ts';

type Column = (typeof exportColumns)[number];

/** Each column of a file, explained for the shopkeeper. */
export const columnHelp: Record<Column, { label: string; help: string }> = {
  id: { label: 'Id', help: 'The product to change. Leave empty to add one.' },
  version: {
    label: 'Version',
    help: 'From the export. If another admin has changed the product since, the row is rejected. If empty, the row overwrites that change.',
  },
  name: {
    label: 'Name',
    help: 'At most 100 characters. Identifies the product if the file has no id column.',
  },
  price: { label: 'Price', help: 'Per piece, such as 12.50 or 12,50.' },
  o_quantity: { label: 'Order quantity', help: 'Minimum per order.' },
  a_quantity: {
    label: 'Available quantity',
    help: 'Stock of a new product. Ignored for others.',
  },
  delivery: {
    label: 'Delivery',
    help: "Pieces delivered, added to the product's stock.",
  },
  category: { label: 'Category', help: 'Empty removes it.' },
  lowStock: { label: 'Low-stock threshold', help: 'A whole number. Empty removes it.' },
  archived: { label: 'Archived', help: 'yes takes it off sale, no puts it back.' },
  images: {
    label: 'Images',
    help: 'URLs of images in this shop, as in an export, separated by spaces. A single one replaces the first image. If empty, the images stay; a new product gets a placeholder.',
  },
  description: { label: 'Description', help: 'At most 2,000 characters.' },
};

const labels = new Map<string, string>(
  Object.entries(columnHelp).map(([column, { label }]) => [column, label]),
);

export const labelOf = (field: string): string => labels.get(field) ?? field;

/** A file with the header of new products, as a link's address. */
export const templateUrl = `data:text/csv;charset=utf-8,${encodeURIComponent(
  `\uFEFF${exportColumns.filter((column) => column !== 'version' && column !== 'delivery').join(',')}\r\n`,
)}`;

const count = (number: number, singular: string, plural = `${singular}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;

/** Such as `2 new products, 1 changed product, 40 unchanged rows.`, and `96 pieces delivered` if there are any. */
export function describeCounts({ create, update, unchanged, delivered }: ImportReport): string {
  const parts = [
    count(create, 'new product'),
    count(update, 'changed product'),
    count(unchanged, 'unchanged row'),
  ];
  if (delivered > 0) parts.push(`${count(delivered, 'piece')} delivered`);
  return `${parts.join(', ')}.`;
}

/** Such as `3 changes, adding 96 pieces`. */
export const describeChanges = ({ create, update, delivered }: ImportReport): string =>
  `${count(create + update, 'change')}${delivered > 0 ? `, adding ${count(delivered, 'piece')}` : ''}`;

/** Such as `+12 pieces (40 to 52)`. */
export const describeDelivery = (before: string, after: string): string =>
  `+${count(Number(after) - Number(before), 'piece')} (${before} to ${after})`;

/** Unlike with edits, importing a file again adds its deliveries again. */
export const describeDelivered = ({ delivered }: ImportReport): string =>
  `This file adds ${count(delivered, 'piece')} to the stock. If it has been imported before, they will be added again.`;

export const describeErrors = (errorCount: number): string =>
  `${count(errorCount, 'value')} ${errorCount === 1 ? 'is' : 'are'} wrong, so this file cannot be imported. Correct the file and choose it again.`;
