import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import {
  mapFields,
  productFieldNames,
  productFields,
} from '../../../../../contract/catalogue/product-fields.ts';
import {
  columnLabels,
  exportColumns,
  type FileColumn,
} from '../../../../../contract/catalogue/product-file.ts';
import type { ImportReport } from '../../../../../contract/catalogue/product-import.ts';

/** Each column of a file, explained for the shopkeeper. */
export const columnHelp: Record<FileColumn, string> = {
  ...mapFields(productFieldNames, (name) => productFields[name].fileHelp),
  id: 'The product to change. Leave empty to add one.',
  version:
    'From the export. If another admin has changed the product since, the row is rejected. If empty, the row overwrites that change.',
  a_quantity: 'Stock of a new product. Ignored for others.',
  delivery: 'Pieces delivered, added to the product’s stock.',
  archived: 'yes takes it off sale, no puts it back.',
  images:
    'URLs of images in this shop, as in an export, separated by spaces. A single one replaces the first image. If empty, the images stay; a new product gets a placeholder.',
};

const labels = new Map<string, string>(Object.entries(columnLabels));

export const labelOf = (field: string): string => labels.get(field) ?? field;

/** The data URL of a CSV file that has only the header for new products. */
export const templateUrl = `data:text/csv;charset=utf-8,${encodeURIComponent(
  `\uFEFF${exportColumns.filter((column) => column !== 'version' && column !== 'delivery').join(',')}\r\n`,
)}`;

/** The changes to existing products, without deliveries, such as `10 prices` and `50 changes to Archived`. */
function listChanges({ changed }: ImportReport): string[] {
  const { price = 0, name = 0, ...others } = changed;
  return [
    ...(price > 0 ? [formatQuantity(price, 'price')] : []),
    ...(name > 0 ? [formatQuantity(name, 'name')] : []),
    ...Object.entries(others).map(
      ([field, number]) => `${formatQuantity(number, 'change')} to ${labelOf(field)}`,
    ),
  ];
}

/** Such as `2 new products. 10 changed products: 10 prices, 96 pieces added. 40 unchanged rows.` */
export function describeCounts(report: ImportReport): string {
  const { create, update, unchanged, unmatched, delivered } = report;
  const changes = listChanges(report);
  if (delivered > 0) changes.push(`${formatQuantity(delivered, 'piece')} added`);
  const sentences = [
    create > 0 && formatQuantity(create, 'new product'),
    update > 0 && [formatQuantity(update, 'changed product'), changes.join(', ')].filter(Boolean).join(': '),
    unchanged > 0 && formatQuantity(unchanged, 'unchanged row'),
    unmatched > 0 && formatQuantity(unmatched, 'skipped row'),
  ];
  return sentences.flatMap((sentence) => (sentence ? [`${sentence}.`] : [])).join(' ');
}

/** Such as `2 new and 10 changed products`. */
export function describeImport({ create, update }: ImportReport): string {
  if (create === 0) return formatQuantity(update, 'changed product');
  if (update === 0) return formatQuantity(create, 'new product');
  return `${create.toLocaleString('en')} new and ${formatQuantity(update, 'changed product')}`;
}

/** Asks the admin to check the prices, because a supplier's file has purchase prices. */
export const describePrices = (prices: number): string =>
  prices === 1
    ? '1 price will change. Check that it is your selling price, not the supplier’s.'
    : `${formatQuantity(prices, 'price')} will change. Check that they are your selling prices, not the supplier’s.`;

export const describeLargeChanges = (prices: number): string =>
  prices === 1
    ? '1 price is less than half or more than double the old one. I have checked it.'
    : `${formatQuantity(prices, 'price')} are less than half or more than double the old ones. I have checked them.`;

export const describeArchived = (products: number): string =>
  products === 1
    ? '1 product will be archived or restored. Check that this is right.'
    : `${formatQuantity(products, 'product')} will be archived or restored. Check that this is right.`;

/** Such as `+12 pieces (40 to 52)`. */
export const describeDelivery = (before: string, after: string): string =>
  `+${formatQuantity(Number(after) - Number(before), 'piece')} (${before} to ${after})`;

/**
 * Importing a file again adds its deliveries again. The shop remembers only the newest files, so the text also warns about a file
 * that it does not remember.
 */
export const describeDelivered = ({ delivered, earlier }: ImportReport): string =>
  `This file adds ${formatQuantity(delivered, 'piece')} to the stock${earlier ? ' again.' : '. If it has been imported before, they will be added again.'}`;

/** Below a table that lists only the first rows. */
export const describeMore = (hidden: number, noun: string): string =>
  `And ${formatQuantity(hidden, `more ${noun}`)}.`;

/** `hasMenus`: the page asks what the file's headings mean. `skips`: rows that match no product are not errors. */
export function describeErrors(
  { errorCount, unmatched, incomplete }: ImportReport,
  { hasMenus, skips }: { hasMenus: boolean; skips: boolean },
): string {
  if (!skips && errorCount === unmatched) {
    const [match, them] = unmatched === 1 ? ['matches', 'it'] : ['match', 'them'];
    return `${formatQuantity(unmatched, 'row')} ${match} no product, so this file cannot be imported. ${incomplete.length > 0 ? 'Complete or skip' : 'Skip'} ${them} below, ${hasMenus ? 'correct the file, or choose other meanings for its headings' : 'or correct the file and choose it again'}.`;
  }
  return `${formatQuantity(errorCount, 'value')} ${errorCount === 1 ? 'is' : 'are'} wrong, so this file cannot be imported. Correct the file${hasMenus ? ', or choose other meanings for its headings' : ' and choose it again'}.`;
}

export const describeSkipping = (unmatched: number): string =>
  unmatched === 1
    ? 'Skip the row that matches no product'
    : `Skip the ${unmatched.toLocaleString('en')} rows that match no product`;
