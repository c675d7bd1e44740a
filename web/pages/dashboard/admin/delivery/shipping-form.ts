import { listCountries } from '../../../../../contract/delivery/countries.ts';
import { type ShippingEdit, shippingEdit } from '../../../../../contract/delivery/shipping-rates.ts';
import { deliveryRatesPage } from '../../../../../contract/page-addresses.ts';
import { validateWith } from '../../../../forms/form-validation.ts';
import { defineForm } from '../../../../forms/page-form.ts';
import { readDraft, toBody, toValues, unknownCountry, weekDays } from './draft.ts';
import { applyStep } from './steps.ts';

const validateBody = validateWith(shippingEdit);

/** The field that shows an error, which may concern one of its parts. */
const toFieldName = (path: string): string =>
  path
    .replace(/(\.postcodes)\.\d+$/, '$1')
    .replace(/(\.countries)\.\d+$/, '$1')
    .replace(/\.days$/, '.days.0')
    .replace(/^closed\..*/, 'closed');

/** The delivery zones and rates. Steps, such as adding a rate, change the form without sending it. */
export const shippingForm = defineForm({
  name: 'shipping',
  fields: [
    'shipsFrom',
    'cutOff',
    'workingDays',
    ...weekDays.map((day) => `workingDays.${day}`),
    'holidays',
    'closed',
    'version',
    'currency',
    'hasExamples',
  ],
  moreFields: /^(zones\.\d+\.|examplesChecked$)/,
  access: 'admin',
  change: (values, step) => {
    const { currency = '' } = values;
    return { ...toValues(applyStep(readDraft(values, listCountries()), step, currency)), currency };
  },
  validate(input) {
    const values = Object.fromEntries(
      Object.entries(input ?? {}).map(([name, value]) => [name, typeof value === 'string' ? value : '']),
    );
    const draft = readDraft(values, listCountries());
    const result = validateBody(toBody(draft, values.currency));
    const errors: Record<string, string> = {};
    for (const [path, message] of Object.entries('errors' in result ? result.errors : {}))
      errors[toFieldName(path)] ??= message;
    for (const [at, { unknownCountry: typed, rates }] of draft.zones.entries()) {
      if (typed) errors[`zones.${at}.countries`] = unknownCountry;
      for (const [index, { isPickup, pickup, price }] of rates.entries()) {
        const rate = `zones.${at}.rates.${index}`;
        if (isPickup && pickup.trim() === '')
          errors[`${rate}.pickup`] = 'Say where and when customers collect their order';
        if (price.trim() === '') errors[`${rate}.price`] = 'Price is Required: enter 0 if it is free';
      }
    }
    if (draft.hasExamples && !values.examplesChecked)
      errors.examplesChecked = 'Check the example prices and days, then tick this box';
    return Object.keys(errors).length > 0 || 'errors' in result ? { errors } : result;
  },
  send: ({ client }, body: ShippingEdit) => client.call('saveShipping', { body }),
  donePage: () => `${deliveryRatesPage}?done=shipping`,
});
