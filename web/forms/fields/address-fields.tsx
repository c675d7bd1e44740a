import type { ChangeEvent } from 'react';
import {
  type AddressField,
  addressLengths,
  autocompleteTokens,
  labelField,
  listLocalFields,
  type PostalAddress,
} from '../../../contract/delivery/address-format.ts';
import type { OpenForm } from '../use-page-form.tsx';
import { Field } from './field.tsx';

type Part = Exclude<AddressField, 'country'>;

const localFields = ['line1', 'line2', 'postcode', 'city', 'region'] as const;
const optionalFields: readonly Part[] = ['company', 'line2', 'phone'];
/** The fields that share a row, and the width from which they do. */
const widths: Partial<Record<Part, string>> = {
  name: 'min-w-0 grow basis-60',
  company: 'min-w-0 grow basis-60',
  postcode: 'min-w-0 grow basis-40',
  city: 'min-w-0 grow basis-40',
  region: 'min-w-0 grow basis-40',
};

/** The names of an address's fields start with it. */
export type AddressPrefix = 'shipTo.' | 'billTo.' | 'book.';

/** The beginning of the fields' `autocomplete`: browsers keep the addresses for parcels and for invoices apart. */
export const completionSection = (prefix: AddressPrefix): string =>
  ({ 'shipTo.': 'shipping ', 'billTo.': 'billing ', 'book.': '' })[prefix];

type Props = {
  form: OpenForm;
  prefix: AddressPrefix;
  country: string;
  initial: PostalAddress | undefined;
  /** Called while a postcode is typed, and with `isDone` when its field is left. */
  onPostcode?: (isDone: boolean) => void;
};

/**
 * The fields of an address after its country, in the order and words of the country. A field that the country's addresses do not have
 * is hidden and keeps its text, which `readAddress` ignores.
 */
export function AddressFields({ form, prefix, country, initial, onPostcode }: Props) {
  const local = listLocalFields(country);
  const unused = localFields.filter((field) => !local.includes(field));
  const isInvoice = prefix === 'billTo.';
  const fields: Part[] = ['name', 'company', ...local, ...unused];
  // Invoices have no phone number.
  if (!isInvoice) fields.push('phone');
  return (
    <div className="flex flex-wrap gap-x-4">
      {fields.map((field) => {
        const isUnused = unused.some((one) => one === field);
        return (
          <div key={field} hidden={isUnused} className={widths[field] ?? 'basis-full'}>
            <Field
              label={`${labelField(field, country)}${optionalFields.includes(field) ? ' (optional)' : ''}`}
              autoComplete={completionSection(prefix) + autocompleteTokens[field]}
              maxLength={addressLengths[field]}
              {...(field === 'phone' ? { type: 'tel', inputMode: 'tel' as const } : {})}
              {...(field === 'postcode' && onPostcode
                ? {
                    onChange: (_: ChangeEvent<HTMLInputElement>) => onPostcode(false),
                    onBlur: () => onPostcode(true),
                  }
                : {})}
              {...form.field(prefix + field, initial?.[field])}
            />
          </div>
        );
      })}
    </div>
  );
}
