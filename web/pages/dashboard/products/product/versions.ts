import { z } from 'zod';
import {
  mapFields,
  type ProductField,
  productFieldNames,
  productFields,
} from '../../../../../contract/catalogue/product-fields.ts';
import { parseField } from '../../../../../contract/catalogue/product-schemas.ts';
import type { ShownProduct } from '../../../../../contract/catalogue/products.ts';

/** The fields of the form, as it shows them. */
export const versionedLabels: Record<ProductField | 'images', string> = {
  ...mapFields(productFieldNames, (name) => productFields[name].label),
  images: 'Images',
};
export type EditedField = keyof typeof versionedLabels;

/** The values of the form as text; empty if absent. */
export type Texts = Record<EditedField, string>;
export type Version = Texts & { version: number };

export const versionedFields: readonly EditedField[] = [...productFieldNames, 'images'];

const version = z.object({
  version: z.int(),
  // A form that was opened in an earlier release lacks the fields that have been added since.
  ...mapFields(productFieldNames, () => z.string().default('')),
  images: z.string(),
});

/** Reads the version that a form was opened with from its hidden field. */
export function parseVersion(input: string): Version | undefined {
  try {
    return version.safeParse(JSON.parse(input)).data;
  } catch {
    return undefined;
  }
}

const imageList = z
  .array(z.string())
  .or(z.string().transform((urls) => urls.split(' ').filter(Boolean)))
  .catch([]);

/** The images of a product or a form. A plain post has the URL of the first one, which may be new, in `img`. */
export function readImages({ img, images }: { img?: unknown; images?: unknown }): string[] {
  const [stored = '', ...others] = imageList.parse(images);
  const first = typeof img === 'string' && img ? img : stored;
  return [...new Set([first, ...others])].filter(Boolean);
}

/** Normalizes typed or stored values for comparison: 12.50 becomes 12.5. */
export function toTexts(values: Partial<Record<EditedField | 'img', unknown>>): Texts {
  const normalize = (name: ProductField): string =>
    String(parseField(name, values[name]) ?? '')
      .replaceAll('\r\n', '\n')
      .trim();
  return {
    ...mapFields(productFieldNames, normalize),
    images: readImages(values).join(' '),
  };
}

export const toVersion = (product: ShownProduct): Version => ({
  ...toTexts(product),
  version: product.version,
});

export const listChangedFields = (before: Texts, after: Texts): EditedField[] =>
  versionedFields.filter((field) => before[field] !== after[field]);

export type Difference = { field: EditedField; yours: string; now: string };

/**
 * Compares a form that was opened with `base` with the current version. `merged` has the values that the form should now show: those
 * typed into edited fields, and the current values of the other fields.
 */
export function compareVersions(
  base: Texts,
  yours: Texts,
  now: Texts,
): { differences: Difference[]; merged: Texts } {
  const edited = new Set(listChangedFields(base, yours));
  const merged = { ...now };
  for (const field of edited) merged[field] = yours[field];
  const differences = listChangedFields(yours, now).map((field) => ({
    field,
    yours: yours[field],
    now: now[field],
  }));
  return { differences, merged };
}
