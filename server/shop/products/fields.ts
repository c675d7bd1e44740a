import type { Selectable } from 'kysely';
import {
  type ProductField,
  productFieldNames,
  productFields,
} from '../../../contract/catalogue/product-fields.ts';
import type { ShownProduct } from '../../../contract/catalogue/products.ts';
import { invalid } from '../../../contract/errors.ts';
import { formatPrice, maxCharge, minCharge, toMinor, toWire } from '../../config/currency.ts';
import type { Schema } from '../../database/schema.ts';
import type { Shop } from '../shop.ts';

type Row = Selectable<Schema['product']>;
type Column = (typeof productFields)[ProductField]['column'];
/** The columns of the fields that an admin enters. */
export type FieldColumns = Pick<Row, Column>;

/** The value of a field on the wire; null if it has none. */
export function readField(name: ProductField, row: FieldColumns, currency: string): string | number | null {
  const { kind, column } = productFields[name];
  const value = row[column];
  return kind === 'money' && typeof value === 'number' ? toWire(value, currency) : value;
}

/** The fields on the wire that a user may see. */
export function readFields(
  row: FieldColumns,
  currency: string,
  isAdmin: boolean,
): Pick<ShownProduct, ProductField> {
  const values: Partial<Record<ProductField, string | number>> = {};
  for (const name of productFieldNames) {
    const value = readField(name, row, currency);
    if (value !== null && (isAdmin || productFields[name].visibleTo === 'everyone')) values[name] = value;
  }
  // Required columns are not null.
  return values as Pick<ShownProduct, ProductField>;
}

/** Validated values on the wire. Fields may be missing. */
type Values = { [Name in ProductField]?: ShownProduct[Name] | null | undefined };

/**
 * Converts the given fields to columns. An empty value becomes null. Throws 422 for an amount of money that the shop's currency
 * does not have.
 */
export function toColumns(shop: Shop, values: Values): Partial<FieldColumns> {
  const columns: Partial<Record<Column, string | number | null>> = {};
  for (const name of productFieldNames) {
    const { kind, column } = productFields[name];
    const value = values[name];
    if (value === undefined) continue;
    const stored = kind === 'money' && typeof value === 'number' ? toMoney(shop, name, value) : value;
    columns[column] = stored === '' ? null : stored;
  }
  // The values have the types of their fields.
  return columns as Partial<FieldColumns>;
}

/** Like `toColumns`, for a new product: optional fields without a value are null. */
export function toNewColumns(shop: Shop, values: Values): FieldColumns {
  const empty = Object.fromEntries(
    productFieldNames.map((name) => [productFields[name].column, null] as const),
  );
  // Validated values have every required field.
  return { ...empty, ...toColumns(shop, values) } as FieldColumns;
}

/**
 * Converts an amount to minor units. Throws 422 if the shop's currency has fewer decimals, or the amount is above the currency's
 * limit.
 */
function toMoney({ currency }: Shop, name: ProductField, amount: number): number {
  const { label } = productFields[name];
  const minor = toMinor(amount, currency);
  const max = maxCharge(currency);
  if (minor === undefined)
    throw invalid(name, `${label} must be a whole number: ${currency} has no decimals`);
  if (minor > max) throw invalid(name, `${label} must be at most ${toWire(max, currency)}`);
  return minor;
}

/** The rules across fields. Throws 422 if the smallest order of a product is too cheap or too expensive to be charged. */
export function checkProduct(shop: Shop, product: Pick<FieldColumns, 'price' | 'minimum'>): void {
  const total = product.price * product.minimum;
  const min = minCharge(shop.currency);
  const max = maxCharge(shop.currency);
  if (total < min)
    throw invalid('price', `Price × order quantity must be at least ${formatPrice(shop, min)}`);
  if (total > max) throw invalid('price', `Price × order quantity must be at most ${formatPrice(shop, max)}`);
}
