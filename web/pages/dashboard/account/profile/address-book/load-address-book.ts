import { formatAddress, type PostalAddress } from '../../../../../../contract/delivery/address-format.ts';
import { listCountries } from '../../../../../../contract/delivery/countries.ts';
import type { Client } from '../../../../../client/api/client.ts';
import { createFormKey } from '../../../../../client/api/idempotency.ts';

export type AddressBookData = {
  /** The newest first; `lines` are in the layout of the country. */
  addresses: { _id: string; address: PostalAddress; lines: string[] }[];
  /** The names of the countries by code, in alphabetical order of the names. */
  countries: Record<string, string>;
  /** The country that parcels are sent from, with which a new address starts. */
  shipsFrom: string;
  formKey: string;
};

export async function loadAddressBook(client: Client): Promise<AddressBookData> {
  const [addresses, { shipsFrom }] = await Promise.all([
    client.call('listAddresses', {}),
    client.call('getShipping', {}),
  ]);
  return {
    addresses: addresses.map(({ _id, ...address }) => ({
      _id,
      address,
      lines: formatAddress(address, shipsFrom),
    })),
    countries: listCountries(),
    shipsFrom,
    formKey: createFormKey(),
  };
}
