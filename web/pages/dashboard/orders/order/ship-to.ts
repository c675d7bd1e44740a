import {
  addressFields,
  type PostalAddress,
  readAddress,
  removePrefix,
} from '../../../../../contract/delivery/address-format.ts';
import { listCountries } from '../../../../../contract/delivery/countries.ts';
import { findZone, listServedZones } from '../../../../../contract/delivery/rates.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Client } from '../../../../client/api/client.ts';
import { defineForm, textOf } from '../../../../forms/page-form.ts';

const prefix = 'shipTo.';
const fields = addressFields.map((field) => prefix + field);

type Values = { purchase: string; version: number; shipTo: PostalAddress };

/** Corrects the address of a purchase whose checkout was saved. */
export const shipToForm = defineForm({
  name: 'ship-to',
  fields: [...fields, 'purchase', 'version'],
  personalFields: fields,
  access: 'user',
  change: (values) => values,
  validate: (input) => ({
    values: {
      purchase: textOf(input, 'purchase'),
      version: Number(parseNumber(textOf(input, 'version'))),
      shipTo: readAddress((field) => textOf(input, prefix + field)),
    },
  }),
  send: ({ client }, { purchase, ...body }: Values) =>
    client.call('changeDelivery', { params: { id: purchase }, body }),
  donePage: (_, params) => `${orderPages}/${params.id}?done=delivery`,
});

/**
 * The names of the countries, by code, that an address can be corrected to: those of its zone, because delivery to another one may
 * cost something else. Undefined without such an address.
 */
export async function loadCountries(
  client: Client,
  { shipTo }: Purchase,
): Promise<Record<string, string> | undefined> {
  if (!shipTo) return undefined;
  const { zones } = await client.call('getShipping', {});
  const { country } = shipTo;
  const zone = findZone(zones, { country, postcode: removePrefix(country, shipTo.postcode) });
  const isOffered = (code: string) =>
    code === country || listServedZones(zones, code).some((other) => other === zone);
  return Object.fromEntries(Object.entries(listCountries()).filter(([code]) => isOffered(code)));
}
