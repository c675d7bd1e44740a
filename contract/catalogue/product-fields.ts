// Without Zod and without imports, so that pages can use it without loading the schemas.

type Text = {
  /**
   * One line, text of several lines, lines such as `Height: 62 mm` (`facts.ts`), the code of a country, or several codes separated by
   * spaces.
   */
  kind: 'line' | 'text' | 'facts' | 'country' | 'countries';
  /** Characters. */
  max: number;
  example: string;
};

type Amount = {
  /** An amount of money in the shop's currency, or a number of pieces from 1. */
  kind: 'money' | 'count';
  example: number;
};

type Description = (Text | Amount) & {
  /** The column of the table `product`. It is null if an optional field has no value. */
  column: string;
  label: string;
  /** The hint in the form. */
  help?: string;
  /** The explanation of the field's column in a CSV file. */
  fileHelp: string;
  /** The explanation in the API's documentation, if the name is not clear enough. */
  meaning?: string;
  isOptional: boolean;
  visibleTo: 'everyone' | 'admin';
};

/**
 * The fields that an admin enters, in the order of the form. Schemas, columns, forms, CSV files, the audit log, the comparison of two
 * versions and the API's examples are derived from this table. Images, stock and archiving have code of their own.
 */
export const productFields = {
  name: {
    kind: 'line',
    max: 100,
    column: 'name',
    isOptional: false,
    visibleTo: 'everyone',
    label: 'Name',
    fileHelp: 'At most 100 characters. Identifies the product if the file has no id column.',
    example: 'Hand and collet puller',
  },
  price: {
    kind: 'money',
    column: 'price',
    isOptional: false,
    visibleTo: 'everyone',
    label: 'Price',
    fileHelp: 'Per piece, such as 12.50 or 12,50.',
    meaning: "Unit price. `price` times `o_quantity` is at least the payment provider's minimum charge.",
    example: 38.5,
  },
  o_quantity: {
    kind: 'count',
    column: 'minimum',
    isOptional: false,
    visibleTo: 'everyone',
    label: 'Order quantity',
    help: 'Minimum per order.',
    fileHelp: 'Minimum per order.',
    meaning: 'Minimum order quantity.',
    example: 1,
  },
  category: {
    kind: 'line',
    max: 60,
    column: 'category',
    isOptional: true,
    visibleTo: 'everyone',
    label: 'Category',
    help: 'Shown to customers.',
    fileHelp: 'Leave it empty to remove it.',
    example: 'Dials and hands',
  },
  lowStock: {
    kind: 'count',
    column: 'low_stock',
    isOptional: true,
    visibleTo: 'admin',
    label: 'Low-stock threshold',
    help: 'Only admins see it.',
    fileHelp: 'A whole number. Leave it empty to remove it.',
    meaning: 'Stock below this is low.',
    example: 5,
  },
  description: {
    kind: 'text',
    max: 2000,
    column: 'description',
    isOptional: false,
    visibleTo: 'everyone',
    label: 'Description',
    help: '2,000 characters at most; cards show the first 100.',
    fileHelp: 'At most 2,000 characters.',
    example: 'Lifts hands and collets off their arbors without marking the dial.',
  },
  facts: {
    kind: 'facts',
    // 20 lines with a label of 40 characters, a colon, a space, a value of 100 characters and a line break.
    max: 2860,
    column: 'facts',
    isOptional: true,
    visibleTo: 'everyone',
    label: 'Facts',
    help: 'For the specification: one per line, such as “Height: 62 mm”, 20 at most.',
    fileHelp: 'Lines such as “Height: 62 mm”, 20 at most. Leave it empty to remove them.',
    meaning:
      'Lines of the specification, at most 20: a label of at most 40 characters, a colon and a value of at most 100. Not in lists of products.',
    example: 'Height: 62 mm\nOpening: 28 mm',
  },
  weight: {
    kind: 'count',
    column: 'weight',
    isOptional: true,
    visibleTo: 'everyone',
    label: 'Weight in grams',
    help: 'For delivery rates by weight. Without it, it counts 0.',
    fileHelp: 'A whole number of grams, for delivery rates by weight. Leave it empty to remove it.',
    meaning: 'In grams; counts 0 in a delivery rate by weight if absent.',
    example: 85,
  },
  notTo: {
    kind: 'countries',
    max: 300,
    column: 'not_to',
    isOptional: true,
    visibleTo: 'everyone',
    label: 'Not sent to',
    help: 'Countries by their codes of two letters, such as “US CA”.',
    fileHelp:
      'The codes of the countries that it is not sent to, such as US CA. Leave it empty to remove them.',
    meaning: 'The codes of the countries that it is not sent to, separated by spaces.',
    example: 'US CA',
  },
  hsCode: {
    kind: 'line',
    max: 14,
    column: 'hs_code',
    isOptional: true,
    visibleTo: 'admin',
    label: 'Customs code',
    help: 'For parcels abroad: the HS code, such as 8205.59.',
    fileHelp: 'The code of the Harmonized System, for parcels abroad. Leave it empty to remove it.',
    example: '8205.59',
  },
  origin: {
    kind: 'country',
    max: 2,
    column: 'origin',
    isOptional: true,
    visibleTo: 'admin',
    label: 'Country of origin',
    help: 'For parcels abroad: a country code such as GB.',
    fileHelp: 'The code of the country where it was made, for parcels abroad. Leave it empty to remove it.',
    example: 'GB',
  },
  shelf: {
    kind: 'line',
    max: 30,
    column: 'shelf',
    isOptional: true,
    visibleTo: 'admin',
    label: 'Shelf',
    help: 'Where it is in your stock room; pick lists are sorted by it.',
    fileHelp: 'Where it is in your stock room. Leave it empty to remove it.',
    example: 'B3',
  },
} as const satisfies Record<string, Description>;

type Fields = typeof productFields;
export type ProductField = keyof Fields;

/** The fields for which a property of the description has this value. */
export type FieldsWith<Property extends keyof Description, Value> = {
  [Name in ProductField]: Fields[Name] extends Record<Property, Value> ? Name : never;
}[ProductField];

export type FieldKind = Fields[ProductField]['kind'];
export type NumberField = FieldsWith<'kind', 'money' | 'count'>;

export const productFieldNames = Object.keys(productFields) as ProductField[];

const listFields = (kinds: readonly FieldKind[], isOptional: boolean) =>
  productFieldNames.filter(
    (name) => kinds.includes(productFields[name].kind) && productFields[name].isOptional === isOptional,
  );

/** The fields in groups, in the order of the form and of a file. */
export const fieldGroups = {
  lines: listFields(['line'], false),
  numbers: listFields(['money', 'count'], false),
  options: listFields(['line', 'money', 'count', 'country', 'countries'], true),
  texts: [...listFields(['text', 'facts'], false), ...listFields(['text', 'facts'], true)],
};

const { lines, numbers, options, texts } = fieldGroups;

/** The fields of a new product, in the order of the form. */
export const newProductFields = [
  ...lines,
  'email',
  ...numbers,
  'a_quantity',
  ...options,
  ...texts,
  'img',
] as const;

/** Computes a value for each of these fields. */
export const mapFields = <Name extends ProductField, Value>(
  names: readonly Name[],
  compute: (name: Name) => Value,
): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, compute(name)])) as Record<Name, Value>;

/** Whether a column of a file, or a field of a version, is an amount of money. */
export const isMoneyField = (field: string): boolean =>
  productFieldNames.some((name) => name === field && productFields[name].kind === 'money');

const isRequired = (name: ProductField): name is FieldsWith<'isOptional', false> =>
  !productFields[name].isOptional;
export const requiredFields = productFieldNames.filter(isRequired);

const isPublic = (name: ProductField): name is FieldsWith<'visibleTo', 'everyone'> =>
  productFields[name].visibleTo === 'everyone';
/** The fields that customers see. */
export const publicFields = productFieldNames.filter(isPublic);
