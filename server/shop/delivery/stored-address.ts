import { findMissing, formatAddress, type PostalAddress } from '../../../contract/delivery/address-format.ts';
import type { Rate } from '../../../contract/delivery/shipping-rates.ts';
import { type FieldError, ShopError } from '../../../contract/errors.ts';
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

/** The missing parts of an address, as errors of these fields. A parcel that is collected needs only a name. */
export const listMissing = (
  address: PostalAddress,
  { prefix = '', pickup }: { prefix?: 'shipTo.' | 'billTo.' | '' } & Pick<Rate, 'pickup'> = {},
): FieldError[] =>
  findMissing(address)
    .filter(({ field }) => pickup === undefined || field === 'name')
    .map(({ field, message }) => ({ field: `${prefix}${field}`, message }));

/** Throws 422 if a part of an address is missing (`listMissing`). */
export function requireWhole(missing: FieldError[]): void {
  if (missing.length > 0)
    throw new ShopError('invalid', 'A part of the address is missing.', { errors: missing });
}
