import type { z } from 'zod';
import { parseNumber } from '../../../../contract/fields.ts';
import { newProduct } from '../../../../contract/products.ts';
import { getIdempotencyKey } from '../../../client/idempotency.ts';
import { validateWith } from '../../../forms/form-validation.ts';
import type { ShopForm } from '../../../forms/shop-form.ts';
import { getImageUrl, imageFile } from '../image-file.ts';

const schema = newProduct.extend({ img: imageFile });
type ProductValues = z.infer<typeof schema>;

export const productAdded = 'Product Added Successfully!';

export const productForm = (formKey: string): ShopForm<ProductValues, { insertedId: string }> => ({
  name: 'product',
  fields: ['name', 'email', 'price', 'o_quantity', 'a_quantity', 'description', 'img'],
  parse: { price: parseNumber, o_quantity: parseNumber, a_quantity: parseNumber },
  validate: validateWith(schema),
  send({ client }, values) {
    const body = { ...values, img: getImageUrl(values.img) };
    return client.call('addProduct', { body, idempotencyKey: getIdempotencyKey(formKey, body) });
  },
  redirectTo: '/dashboard/addProduct',
  doneCode: 'product',
});
