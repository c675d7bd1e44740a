import { z } from 'zod';
import { productEdit } from '../../../../../contract/catalogue/product-edit.ts';
import { newProduct, type Product } from '../../../../../contract/catalogue/products.ts';
import { parseAmount, parseNumber, parsePieces } from '../../../../../contract/fields.ts';
import { getImageUrl, imageFile } from '../../../../client/image-upload.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';
import { productPath } from './path.ts';
import { type EditedField, listChangedFields, parseVersion, readImages, toTexts } from './versions.ts';

const { category, lowStock } = productEdit.shape;
const schema = newProduct.omit({ email: true, a_quantity: true, img: true }).extend({
  category,
  // An empty field removes the threshold.
  lowStock: z.preprocess((input) => (input === '' || input === undefined ? null : input), lowStock),
  img: z.string().optional(),
  images: z.array(imageFile).min(1, 'Image is Required'),
  base: z.string().refine((text) => parseVersion(text) !== undefined, 'Reload this page and try again'),
});
type EditValues = z.infer<typeof schema>;

/** Edits a product. Only fields that differ from `base`, the version that the form was opened with, are sent. */
export const createEditForm = (id: string): ShopForm<EditValues, { version: number }> => ({
  name: 'edit',
  fields: ['name', 'price', 'o_quantity', 'category', 'lowStock', 'description', 'img', 'images', 'base'],
  parse: {
    price: parseAmount,
    o_quantity: parsePieces,
    lowStock: parsePieces,
    images: (input) => readImages({ images: input }),
  },
  validate: validateWith(schema),
  send({ client }, { base, ...values }) {
    const opened = parseVersion(base);
    if (!opened) throw new Error('The form has no valid version.');
    const images = readImages(values).map(getImageUrl);
    const changed = new Set<EditedField>(listChangedFields(opened, toTexts({ ...values, images })));
    const edits = Object.entries({
      name: values.name,
      price: values.price,
      o_quantity: values.o_quantity,
      category: values.category,
      lowStock: values.lowStock,
      description: values.description,
      images,
    }).filter(([field]) => changed.has(field as EditedField));
    const body = { version: opened.version, ...Object.fromEntries(edits) };
    return client.call('editProduct', { params: { id }, body });
  },
  redirectTo: productPath(id),
  doneCode: 'saved',
});

const archiving = productEdit.pick({ version: true, archived: true });

/** Archives or restores a product. */
export const createArchiveForm = (
  id: string,
  archived: Product['archived'],
): ShopForm<z.infer<typeof archiving>, { version: number }> => ({
  name: 'archive',
  fields: ['version', 'archived'],
  parse: { version: parseNumber, archived: (input) => input === 'true' },
  validate: validateWith(archiving),
  send: ({ client }, body) => client.call('editProduct', { params: { id }, body }),
  redirectTo: productPath(id),
  doneCode: archived ? 'archived' : 'restored',
});
