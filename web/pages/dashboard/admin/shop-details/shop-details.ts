import {
  type ShopDetails,
  type ShopDetailsEdit,
  shopDetailsEdit,
} from '../../../../../contract/admin/shop-details.ts';
import { parseNumber, parsePieces } from '../../../../../contract/fields.ts';
import { shopDetailsPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';

export type DetailsField = keyof ShopDetails;

export const detailsFields = [
  'name',
  'address',
  'taxId',
  'delivery',
  'deliveryShown',
  'returns',
  'returnsShown',
  'returnDays',
  'guarantee',
  'guaranteeShown',
  'synonyms',
] as const satisfies DetailsField[];

const parseSwitch = (input: string) => input === 'true';

/** The shop's details. `version` is the one that the form was opened with. */
export const shopDetailsForm = defineForm({
  name: 'shop-details',
  fields: [...detailsFields, 'version'],
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
