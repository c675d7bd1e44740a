import { type ShopDetailsEdit, shopDetailsEdit } from '../../../../../contract/admin/shop-details.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import type { ShopForm } from '../../../../forms/shop-form.ts';

/** The seller's details. `version` is the one that the form was opened with. */
export const shopDetailsForm: ShopForm<ShopDetailsEdit, { version: number }> = {
  name: 'shop-details',
  fields: ['name', 'address', 'taxId', 'version'],
  parse: { version: parseNumber },
  validate: validateWith(shopDetailsEdit),
  send: ({ client }, body) => client.call('saveShopDetails', { body }),
  redirectTo: '/dashboard/shop',
  doneCode: 'saved',
};
