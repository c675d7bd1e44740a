import type { ReactNode } from 'react';
import { describedBy, Field } from '../../../../forms/fields/field.tsx';
import { type DetailsField, detailsLabels } from './shop-details.ts';

type Description = { name: string; defaultValue: string; error: string | undefined; hint: ReactNode };

/** The promises to customers, each with a switch. */
export function PromiseFields({ describe }: { describe: (field: DetailsField) => Description }) {
  const days = describe('returnDays');
  return (
    <fieldset className="mt-10 mb-6 min-w-0 border-y border-rule pt-4">
      <legend className="pr-4 font-serif text-xl">Promises to customers</legend>
      <p className="mb-6 text-sm text-soft">
        One sentence each. Those that you show appear on product pages, in the basket, at payment, in the
        messages that confirm an order and its payment, and in the footer of every page.
      </p>
      <Field
        label="Delivery (optional)"
        maxLength={120}
        placeholder="Sent within two working days by tracked post"
        {...describe('delivery')}
      />
      <Switch label={detailsLabels.deliveryShown} {...describe('deliveryShown')} />
      <Field
        label="Returns (optional)"
        maxLength={120}
        placeholder="Send it back within 30 days"
        {...describe('returns')}
      />
      <Switch label={detailsLabels.returnsShown} {...describe('returnsShown')} />
      <Field
        label="Days for returns (optional)"
        inputMode="numeric"
        autoComplete="off"
        maxLength={7}
        {...days}
        hint={
          days.hint ??
          'The number in your sentence, for search engines. They also need a country as the last line of your address.'
        }
      />
      <Field
        label="Guarantee (optional)"
        maxLength={120}
        placeholder="Two years on every tool"
        {...describe('guarantee')}
      />
      <Switch label={detailsLabels.guaranteeShown} {...describe('guaranteeShown')} />
    </fieldset>
  );
}

function Switch({ label, name, defaultValue, error, hint }: Description & { label: string }) {
  return (
    <div className="-mt-4 mb-6">
      <label className="flex min-h-11 items-center gap-3 text-sm">
        <input
          type="checkbox"
          id={name}
          name={name}
          value="true"
          defaultChecked={defaultValue === 'true'}
          className="size-5 shrink-0"
          {...describedBy(name, hint, error)}
        />
        {label}
      </label>
      {hint && (
        <p id={`${name}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}
