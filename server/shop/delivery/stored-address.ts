import { findMissing, formatAddress, type PostalAddress } from '../../../contract/delivery/address-format.ts';
import type { Rate } from '../../../contract/delivery/shipping-rates.ts';
import type { Schema } from '../../database/schema.ts';

/** Parses an address that was validated before it was stored. */
export const parseAddress = (stored: string): PostalAddress => JSON.parse(stored) as PostalAddress;

/** The columns of a purchase with an address. The name, the phone and the formatted rest have columns of their own. */
export function toColumns(
  shipTo: PostalAddress,
  shipsFrom: string,
): Pick<Schema['purchase'], 'name' | 'phone' | 'address'> & { ship_to: string } {
  const withoutName = { ...shipTo, name: '' };
  return {
    name: shipTo.name,
    phone: shipTo.phone,
    address: shipTo.line1 === '' ? '' : formatAddress(withoutName, shipsFrom).join('\n'),
    ship_to: JSON.stringify(shipTo),
  };
}

/** What is missing in an address; a parcel that is collected needs only a name. */
export const listMissing = (address: PostalAddress, { pickup }: Pick<Rate, 'pickup'>) =>
  findMissing(address).filter(({ field }) => pickup === undefined || field === 'name');
