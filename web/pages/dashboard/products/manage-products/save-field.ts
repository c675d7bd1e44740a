import { z } from 'zod';
import { isLargePriceChange } from '../../../../../contract/catalogue/price-change.ts';
import { productEdit } from '../../../../../contract/catalogue/product-edit.ts';
import type { Product } from '../../../../../contract/catalogue/products.ts';
import { parseAmount, parsePieces } from '../../../../../contract/fields.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';

/** A field that can be edited in the row of a product. */
export type EditableField = 'price' | 'lowStock';

type Result = { saved: true } | { error: string } | { current: Product } | { largePrice: number };

const schemas = { price: productEdit.shape.price.unwrap(), lowStock: productEdit.shape.lowStock.unwrap() };

/** Parses what was typed; an empty threshold is removed. */
function parseField(field: EditableField, text: string) {
  const value = field === 'price' ? parseAmount(text) : parsePieces(text);
  const parsed = schemas[field].safeParse(field === 'lowStock' && value === undefined ? null : value);
  return parsed.success
    ? { value: parsed.data }
    : { error: z.flattenError(parsed.error).formErrors[0] ?? '' };
}

/**
 * Saves a field of the product that the admin saw. It saves nothing in two cases. If the price differs a lot from the old one and
 * is not `confirmedPrice`, it returns the price. If another admin has changed the same field since, it returns the current
 * product. Other admins' changes of other fields are kept. Throws `ApiError`, which is an edit conflict if another admin saves at
 * the same moment.
 */
export async function saveField(
  product: Product,
  field: EditableField,
  text: string,
  confirmedPrice: number | undefined,
): Promise<Result> {
  const parsed = parseField(field, text);
  if ('error' in parsed) return { error: parsed.error };
  const { value } = parsed;
  if (field === 'price' && typeof value === 'number' && value !== confirmedPrice)
    if (isLargePriceChange(product.price, value)) return { largePrice: value };
  return saveValue(product, field, value);
}

/** Takes a product off sale or puts it back, unless another admin has done so. Other admins' changes are kept. */
export async function archiveProduct(product: Product, archived: boolean): Promise<void> {
  await saveValue(product, 'archived', archived);
}

async function saveValue(
  product: Product,
  field: EditableField | 'archived',
  value: number | boolean | null | undefined,
): Promise<{ saved: true } | { current: Product }> {
  const { client } = getSession();
  const params = { id: product._id };
  const save = (version: number) => client.call('editProduct', { params, body: { version, [field]: value } });
  try {
    await save(product.version);
  } catch (error) {
    if (!isEditConflict(error)) throw error;
    const current = await client.call('getProduct', { params });
    if (current[field] !== product[field]) return { current };
    await save(current.version);
  }
  return { saved: true };
}
