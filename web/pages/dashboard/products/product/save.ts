import { z } from 'zod';
import { isLargePriceChange } from '../../../../../contract/catalogue/price-change.ts';
import {
  mapFields,
  newProductFields,
  productFieldNames,
} from '../../../../../contract/catalogue/product-fields.ts';
import { parseField } from '../../../../../contract/catalogue/product-schemas.ts';
import { newProduct } from '../../../../../contract/catalogue/products.ts';
import { id, parsePieces } from '../../../../../contract/fields.ts';
import { addProductPage, managedProductPages } from '../../../../../contract/page-addresses.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getIdempotencyKey } from '../../../../client/api/idempotency.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm, type FormContext } from '../../../../forms/page-form.ts';
import { isSoldOut } from '../manage-products/query.ts';
import { listChangedFields, parseVersion, readImages, type Texts, toTexts } from './versions.ts';

const edited = newProduct.omit({ email: true, a_quantity: true }).extend({
  product: id,
  base: z.string().refine((text) => parseVersion(text) !== undefined, 'Reload this page and try again'),
  img: z.string(),
  images: z.array(z.string()).min(1, 'Image is Required'),
  /** The large price change that the admin has confirmed. */
  confirmedPrice: z.string(),
});
type Added = z.output<typeof newProduct>;
type Edited = z.output<typeof edited>;

type Saved = {
  id: string;
  name: string;
  version: number;
  /** The saved texts of an edited product. */
  texts?: Texts;
  isNew: boolean;
  isSoldOut: boolean;
};

const isEdit = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'product' in input && input.product !== '';

/** Edits the product that a hidden field names, or adds one. */
export const productForm = defineForm({
  name: 'product',
  fields: [...newProductFields, 'images', 'product', 'base', 'confirmedPrice'],
  access: 'admin',
  parse: {
    ...mapFields(productFieldNames, (name) => (input: string) => parseField(name, input)),
    a_quantity: parsePieces,
    images: (input) => readImages({ images: input }),
  },
  validate: (input) => (isEdit(input) ? validateWith(edited)(input) : validateWith(newProduct)(input)),
  send: (context, values: Added | Edited) =>
    'base' in values ? editProduct(context, values) : addProduct(context, values),
  donePage: (saved) =>
    saved.isNew ? `${addProductPage}?done=product` : `${managedProductPages}/${saved.id}?done=saved`,
});

async function addProduct({ client, key, upload }: FormContext, values: Added): Promise<Saved> {
  const [img = ''] = await upload([values.img]);
  const body = { ...values, img };
  const idempotencyKey = getIdempotencyKey(key, body);
  const { insertedId } = await client.call('addProduct', { body, idempotencyKey });
  return { id: insertedId, name: values.name, version: 1, isNew: true, isSoldOut: isSoldOut(values) };
}

/** Sends only fields that differ from `base`, the version that the form was opened with. */
async function editProduct(
  { client, upload }: FormContext,
  { product, base, confirmedPrice, ...values }: Edited,
): Promise<Saved> {
  const opened = parseVersion(base);
  if (!opened) throw new Error('The form has no valid version.');
  if (isLargePriceChange(Number(opened.price), values.price) && confirmedPrice !== `${values.price}`)
    throw askToConfirm();
  const current = { ...values, images: await upload(readImages(values)) };
  const texts = toTexts(current);
  const changed = listChangedFields(opened, texts);
  // An empty field removes an optional value.
  const edits = changed.map((field) => [field, current[field] ?? null] as const);
  const body = { version: opened.version, ...Object.fromEntries(edits) };
  const { version } = await client.call('editProduct', { params: { id: product }, body });
  return { id: product, name: values.name, version, texts, isNew: false, isSoldOut: false };
}

/** Asks the admin to confirm a large price change. Only this form asks: the API accepts any price. */
function askToConfirm(): ApiError {
  const message = 'This is a large price change. Confirm it below or correct the price.';
  return new ApiError({
    type: 'urn:problem:invalid',
    title: 'Confirm the price',
    status: 422,
    requestId: '',
    detail: message,
    errors: [{ field: 'confirmedPrice', message }],
  });
}
