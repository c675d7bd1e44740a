import {
  addressFields,
  findMissing,
  listLocalFields,
  type PostalAddress,
  readAddress,
} from '../../../../../contract/delivery/address-format.ts';
import type { Checkout } from '../../../../../contract/delivery/quotes.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import { paymentPages } from '../../../../../contract/page-addresses.ts';
import { ApiError, type Client } from '../../../../client/api/client.ts';
import { defineForm, textOf } from '../../../../forms/page-form.ts';

/** Which of the two addresses of a purchase; the names of its fields start with it. */
export type AddressKind = 'shipTo' | 'billTo';

const listAddressFields = (kind: AddressKind): string[] => addressFields.map((field) => `${kind}.${field}`);

/** The steps change the form without saving it. They are the values of buttons, for browsers without scripts. */
export const steps = {
  /** Shows the fields and the rates of the chosen country and postcode. */
  destination: 'destination',
  /** Fills in the chosen saved address. */
  savedAddress: 'saved-address',
};

/**
 * The value of a rate's radio button: the total that was shown with it, and its id. Without scripts, the customer can choose another
 * rate than the one in the summary.
 */
export const formatChoice = (total: number, rate: string): string => `${total} ${rate}`;

export function parseChoice(choice: string): { price: number; rate: string } {
  const [price = '', ...rate] = choice.split(' ');
  return { price: Number(price), rate: rate.join(' ') };
}

/** The message if the checkout is saved, but the address book is not, and its code in the URL. */
export const addressUnsaved = {
  code: 'address-unsaved',
  message: 'The address could not be added to your address book.',
};

type Values = Omit<Checkout, 'version'> & { purchase: string; version: number; savesAddress: boolean };

/** Chooses where and how a purchase is sent. Its result is whether the address book has the address, if it was to be saved. */
export const checkoutForm = defineForm({
  name: 'checkout',
  fields: [
    'savedAddress',
    ...listAddressFields('shipTo'),
    'savesAddress',
    'rate',
    'remark',
    'hasBillTo',
    ...listAddressFields('billTo'),
    'purchase',
    'version',
  ],
  personalFields: [...listAddressFields('shipTo'), ...listAddressFields('billTo'), 'remark'],
  access: 'user',
  change(values, step) {
    if (step !== steps.savedAddress) return values;
    // The fields then start with the chosen address, which the page's loader has read.
    return Object.fromEntries(Object.entries(values).filter(([field]) => !field.startsWith('shipTo.')));
  },
  validate(input) {
    const read = (field: string) => textOf(input, field);
    const shipTo = readAddress((field) => read(`shipTo.${field}`));
    const choice = read('rate');
    if (choice === '') return { errors: explainMissingRate(shipTo) };
    const values: Values = {
      purchase: read('purchase'),
      version: Number(parseNumber(read('version'))),
      shipTo,
      ...(read('hasBillTo') ? { billTo: readAddress((field) => read(`billTo.${field}`)) } : {}),
      ...parseChoice(choice),
      remark: read('remark'),
      savesAddress: read('savesAddress') !== '',
    };
    return { values };
  },
  async send({ client }, { purchase, savesAddress, ...body }: Values) {
    await client.call('saveCheckout', { params: { id: purchase }, body }).catch((error: unknown) => {
      throw error instanceof ApiError ? locate(error) : error;
    });
    return !savesAddress || saveAddress(client, body.shipTo);
  },
  donePage: (isAddressSaved, { id }) =>
    `${paymentPages}/${id}?done=${isAddressSaved ? 'checkout' : addressUnsaved.code}`,
});

/** Rates depend on the address, so a missing part of it is named first. */
function explainMissingRate(shipTo: PostalAddress): Record<string, string> {
  if (shipTo.country === '') return { 'shipTo.country': 'Country is Required' };
  const missing = findMissing(shipTo).map(({ field, message }) => [`shipTo.${field}`, message]);
  if (missing.length > 0) return Object.fromEntries(missing);
  const canHavePostcode = listLocalFields(shipTo.country).includes('postcode');
  return canHavePostcode && shipTo.postcode === ''
    ? { 'shipTo.postcode': 'Enter the postcode: the delivery costs can depend on it' }
    : { rate: 'Choose a delivery option' };
}

/** Adds an address to the address book, unless it has it. Returns false if that failed: the order must not wait for it. */
async function saveAddress(client: Client, address: PostalAddress): Promise<boolean> {
  try {
    const saved = await client.call('listAddresses', {});
    const isKnown = saved.some((one) => addressFields.every((field) => one[field] === address[field]));
    if (!isKnown) await client.call('addAddress', { body: address });
    return true;
  } catch {
    return false;
  }
}

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
  const [first] = Array.isArray(problems) ? problems : [];
  if (problem.status !== 409 || first === undefined) return new ApiError(problem);
  const message =
    first === 'rate_gone' ? 'This delivery option is no longer available: choose another' : problem.detail;
  return new ApiError({
    ...problem,
    errors: [{ field: problemFields[String(first)] ?? 'rate', message }],
  });
}
