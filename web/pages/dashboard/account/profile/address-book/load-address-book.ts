import { formatAddress, type PostalAddress } from '../../../../../../contract/delivery/address-format.ts';
import { listCountries } from '../../../../../../contract/delivery/countries.ts';
import type { Client } from '../../../../../client/api/client.ts';
import { createFormKey } from '../../../../../client/api/idempotency.ts';

/** An address of the address book; `lines` are in the layout of its country. */
export type SavedAddress = { _id: string; address: PostalAddress; lines: string[] };

/** An address as the API returns it, with the lines in which it is shown. */
export const toSavedAddress = (
  { _id, ...address }: PostalAddress & { _id: string },
  shipsFrom: string,
): SavedAddress => ({ _id, address, lines: formatAddress(address, shipsFrom) });

export type AddressBookData = {
  /** The newest first. */
  addresses: SavedAddress[];
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
    addresses: addresses.map((address) => toSavedAddress(address, shipsFrom)),
    countries: listCountries(),
    shipsFrom,
    formKey: createFormKey(),
  };
}
