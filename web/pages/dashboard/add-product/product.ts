import type { z } from 'zod';
import { readNumber } from '../../../../contract/fields.ts';
import { newProduct } from '../../../../contract/products.ts';
import { keyOf } from '../../../client/idempotency.ts';
import { judgeBy } from '../../../forms/schema.ts';
import type { ShopForm } from '../../../forms/shop-form.ts';
import { addressOf, picture } from '../picture.ts';

const schema = newProduct.extend({ img: picture });
type Filled = z.infer<typeof schema>;

export const productAdded = 'Product Added Successfully!';

export const productForm = (formKey: string): ShopForm<Filled, { insertedId: string }> => ({
  name: 'product',
  fields: ['name', 'email', 'price', 'o_quantity', 'a_quantity', 'description', 'img'],
  read: { price: readNumber, o_quantity: readNumber, a_quantity: readNumber },
  judge: judgeBy(schema),
  send({ client }, filled) {
    const body = { ...filled, img: addressOf(filled.img) };
    return client.call('addProduct', { body, idempotencyKey: keyOf(formKey, body) });
  },
  next: '/dashboard/addProduct',
  done: 'product',
});
