import type { ChangeEvent } from 'react';
import {
  type AddressField,
  autocompleteTokens,
  labelField,
  listLocalFields,
  type PostalAddress,
} from '../../../../../contract/delivery/address-format.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import type { OpenForm } from '../../../../forms/use-page-form.tsx';
import type { AddressKind } from './checkout.ts';

type Part = Exclude<AddressField, 'country'>;

const maxLengths: Record<Part, number> = {
  name: 100,
  company: 100,
  line1: 150,
  line2: 150,
  postcode: 20,
  city: 100,
  region: 100,
  phone: 50,
};

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

type Props = {
  form: OpenForm;
  kind: AddressKind;
  country: string;
  initial: PostalAddress | undefined;
  onPostcode?: (postcode: string) => void;
};

/**
 * The fields of an address after its country, in the order and words of the country. A field that the country's addresses do not have
 * keeps its text, but is not sent.
 */
export function AddressFields({ form, kind, country, initial, onPostcode }: Props) {
  const local = listLocalFields(country);
  const unused = localFields.filter((field) => !local.includes(field));
  const shipping = kind === 'shipTo';
  const fields: Part[] = ['name', 'company', ...local, ...unused];
  // Invoices have no phone number.
  if (shipping) fields.push('phone');
  return (
    <div className="flex flex-wrap gap-x-4">
      {fields.map((field) => {
        const isUnused = unused.some((one) => one === field);
        return (
          <div key={field} hidden={isUnused} className={widths[field] ?? 'basis-full'}>
            <Field
              label={`${labelField(field, country)}${optionalFields.includes(field) ? ' (optional)' : ''}`}
              autoComplete={`${shipping ? 'shipping' : 'billing'} ${autocompleteTokens[field]}`}
              maxLength={maxLengths[field]}
              disabled={isUnused}
              {...(field === 'phone' ? { type: 'tel', inputMode: 'tel' as const } : {})}
              {...(field === 'postcode' && onPostcode
                ? {
                    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
                      onPostcode(currentTarget.value),
                  }
                : {})}
              {...form.field(`${kind}.${field}`, initial?.[field])}
            />
          </div>
        );
      })}
    </div>
  );
}
