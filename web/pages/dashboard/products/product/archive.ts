import { z } from 'zod';
import { productEdit } from '../../../../../contract/catalogue/product-edit.ts';
import { id, parseNumber } from '../../../../../contract/fields.ts';
import { managedProductPages } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

const values = productEdit.pick({ version: true }).extend({ product: id, archived: z.boolean() });

/** Archives or restores a product. */
export const archiveForm = defineForm({
  name: 'archive',
  fields: ['product', 'version', 'archived'],
  access: 'admin',
  parse: { version: parseNumber, archived: (input) => input === 'true' },
  validate: validateWith(values),
  async send({ client }, { product, ...body }: z.output<typeof values>) {
    await client.call('editProduct', { params: { id: product }, body });
    return { product, archived: body.archived };
  },
  donePage: ({ product, archived }) =>
    `${managedProductPages}/${product}?done=${archived ? 'archived' : 'restored'}`,
});
