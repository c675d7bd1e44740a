import type { AddressField, PostalAddress } from '../../../../../contract/delivery/address-format.ts';
import type { Checkout } from '../../../../../contract/delivery/quotes.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import { paymentPages } from '../../../../../contract/page-addresses.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { defineForm, textOf } from '../../../../forms/page-form.ts';

const addressFields: readonly AddressField[] = [
  'country',
  'name',
  'company',
  'line1',
  'line2',
  'postcode',
  'city',
  'region',
  'phone',
];

/** Which of the two addresses of a purchase. */
export type AddressKind = 'shipTo' | 'billTo';

export const listAddressFields = (kind: AddressKind): string[] =>
  addressFields.map((field) => `${kind}.${field}`);

/** Reads an address from the fields of a form, with the names of `listAddressFields`. */
export function readAddress(read: (field: string) => string, kind: AddressKind): PostalAddress {
  const part = (field: AddressField) => read(`${kind}.${field}`).trim();
  return {
    name: part('name'),
    company: part('company'),
    line1: part('line1'),
    line2: part('line2'),
    postcode: part('postcode'),
    city: part('city'),
    region: part('region'),
    country: part('country'),
    phone: part('phone'),
  };
}

/**
 * The value of a rate's radio button: the total that was shown with it, and its id. Without scripts, the customer can choose another
 * rate than the one in the summary.
 */
export const formatChoice = (total: number, rate: string): string => `${total} ${rate}`;

export function parseChoice(choice: string): { price: number; rate: string } {
  const [price = '', ...rate] = choice.split(' ');
  return { price: Number(price), rate: rate.join(' ') };
}

type Values = Omit<Checkout, 'version'> & { purchase: string; version: number };

/** Chooses where and how a purchase is sent. */
export const checkoutForm = defineForm({
  name: 'checkout',
  fields: [
    ...listAddressFields('shipTo'),
    'rate',
    'remark',
    'hasBillTo',
    ...listAddressFields('billTo'),
    'purchase',
    'version',
  ],
  personalFields: [...listAddressFields('shipTo'), ...listAddressFields('billTo'), 'remark'],
  access: 'user',
  validate(input) {
    const read = (field: string) => textOf(input, field);
    const choice = read('rate');
    if (choice === '') return { errors: { rate: 'Choose how we send this order' } };
    const values: Values = {
      purchase: read('purchase'),
      version: Number(parseNumber(read('version'))),
      shipTo: readAddress(read, 'shipTo'),
      ...(read('hasBillTo') ? { billTo: readAddress(read, 'billTo') } : {}),
      ...parseChoice(choice),
      remark: read('remark'),
    };
    return { values };
  },
  async send({ client }, { purchase, ...body }: Values) {
    await client.call('saveCheckout', { params: { id: purchase }, body }).catch((error: unknown) => {
      throw error instanceof ApiError ? locate(error) : error;
    });
  },
  donePage: (_, params) => `${paymentPages}/${params.id}?done=checkout`,
});

/** The field where the customer can solve a problem of delivery. */
const problemFields: Record<string, string> = { address: 'shipTo.country', postcode: 'shipTo.postcode' };

/** Shows a problem of delivery at the field where the customer can solve it. The two addresses have the same fields. */
function locate({ problem }: ApiError): ApiError {
  const problems = problem.data?.problems;
  if (problem.errors) {
    const errors = problem.errors.map(({ field, message }) => ({
      field,
      message: field.startsWith('billTo.') ? `Invoice: ${message}` : message,
    }));
    return new ApiError({ ...problem, errors });
  }
  if (problem.status !== 409 || !Array.isArray(problems)) return new ApiError(problem);
  const [first] = problems;
  const message =
    first === 'rate_gone' ? 'This way of sending is not offered any longer: choose another' : problem.detail;
  return new ApiError({
    ...problem,
    errors: [{ field: problemFields[String(first)] ?? 'rate', message }],
  });
}
