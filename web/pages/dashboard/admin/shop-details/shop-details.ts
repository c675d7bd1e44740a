import { type ShopDetailsEdit, shopDetailsEdit } from '../../../../../contract/admin/shop-details.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import { shopDetailsPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

/** The seller's details and the search's synonyms. `version` is the one that the form was opened with. */
export const shopDetailsForm = defineForm({
  name: 'shop-details',
  fields: ['name', 'address', 'taxId', 'synonyms', 'version'],
  access: 'admin',
  parse: { version: parseNumber },
  validate: validateWith(shopDetailsEdit),
  async send({ client }, body: ShopDetailsEdit) {
    const { version } = await client.call('saveShopDetails', { body });
    return { ...body, version };
  },
  donePage: () => `${shopDetailsPage}?done=shop-details`,
});
