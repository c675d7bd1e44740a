import {
  type ShopDetails,
  type ShopDetailsEdit,
  shopDetailsEdit,
  shopDetailsFields,
} from '../../../../../contract/admin/shop-details.ts';
import { parseNumber, parsePieces } from '../../../../../contract/fields.ts';
import { shopDetailsPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

export type DetailsField = keyof ShopDetails;

export const detailsLabels: Record<DetailsField, string> = {
  name: 'Name',
  address: 'Address',
  taxId: 'Tax number',
  delivery: 'Delivery',
  deliveryShown: 'Show the delivery promise',
  returns: 'Returns',
  returnsShown: 'Show the returns promise',
  returnDays: 'Days for returns',
  guarantee: 'Guarantee',
  guaranteeShown: 'Show the guarantee',
  synonyms: 'Search synonyms',
};

const parseSwitch = (input: string) => input === 'true';

/** The shop's details. `version` is the one that the form was opened with. */
export const shopDetailsForm = defineForm({
  name: 'shop-details',
  fields: [...shopDetailsFields, 'version'],
  access: 'admin',
  parse: {
    version: parseNumber,
    deliveryShown: parseSwitch,
    returnsShown: parseSwitch,
    returnDays: (input) => parsePieces(input) ?? null,
    guaranteeShown: parseSwitch,
  },
  validate: validateWith(shopDetailsEdit),
  async send({ client }, body: ShopDetailsEdit) {
    const { version } = await client.call('saveShopDetails', { body });
    return { ...body, version };
  },
  donePage: () => `${shopDetailsPage}?done=shop-details`,
});

/** A detail as the form sends it. */
export const toText = (value: ShopDetails[DetailsField]): string =>
  value === null || value === false ? '' : String(value);
