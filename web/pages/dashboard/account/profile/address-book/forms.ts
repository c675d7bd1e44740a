import {
  addressFields,
  findMissing,
  type PostalAddress,
  readAddress,
} from '../../../../../../contract/delivery/address-format.ts';
import { dashboardPage } from '../../../../../../contract/page-addresses.ts';
import { ApiError } from '../../../../../client/api/client.ts';
import { getIdempotencyKey } from '../../../../../client/api/idempotency.ts';
import { defineForm, textOf } from '../../../../../forms/page-form.ts';

/** The names of the fields start with it, because the profile has a name and a phone, too. */
export const prefix = 'book.';

const fields = addressFields.map((field) => prefix + field);

/** Adds an address to the address book or, with its id, replaces it. */
export const addressForm = defineForm({
  name: 'address',
  fields: [...fields, 'id'],
  personalFields: fields,
  access: 'user',
  change: (values) => values,
  validate(input) {
    const address = readAddress((field) => textOf(input, prefix + field));
    const missing =
      address.country === '' ? [{ field: 'country', message: 'Country is Required' }] : findMissing(address);
    if (missing.length > 0)
      return { errors: Object.fromEntries(missing.map(({ field, message }) => [prefix + field, message])) };
    return { values: { id: textOf(input, 'id'), address } };
  },
  async send({ client, key }, { id, address: body }: { id: string; address: PostalAddress }) {
    const saving =
      id === ''
        ? client.call('addAddress', { body, idempotencyKey: getIdempotencyKey(key, body) })
        : client.call('changeAddress', { params: { id }, body });
    await saving.catch((error: unknown) => {
      throw error instanceof ApiError ? addPrefix(error) : error;
    });
  },
  donePage: () => `${dashboardPage}?done=address#addresses`,
});

const addPrefix = ({ problem: { errors = [], ...problem } }: ApiError): ApiError =>
  new ApiError({
    ...problem,
    errors: errors.map(({ field, message }) => ({ field: prefix + field, message })),
  });

export const removeAddressForm = defineForm({
  name: 'remove-address',
  fields: ['id'],
  access: 'user',
  validate: (input) => ({ values: { id: textOf(input, 'id') } }),
  send: ({ client }, params: { id: string }) => client.call('removeAddress', { params }),
  donePage: () => `${dashboardPage}?done=remove-address#addresses`,
});
