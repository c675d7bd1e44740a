import type { FormEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { DeliveryEstimate } from '../../../contract/delivery/quotes.ts';
import { SelectField } from '../../forms/fields/select-field.tsx';
import { getText } from '../../forms/page-form.ts';
import { readSubmitted } from '../../forms/submitted.ts';
import { Button } from '../button.tsx';

/** `countries` are the names by code of the countries to choose from. */
export type DeliveryChoice = { estimate: DeliveryEstimate; countries: Record<string, string> };

/**
 * Below a price with delivery: to which country it applies, and a form that changes the country. It works without
 * scripts; with them, what was typed elsewhere in the page is kept.
 */
export function DeliveryCountry({ estimate, countries }: DeliveryChoice) {
  const { country, price, pickup } = estimate;
  const name = countries[country] ?? country;
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const others = [...search].filter(([key]) => key !== 'country');

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const chosen = getText(readSubmitted(event), 'country');
    void navigate(`?${new URLSearchParams([...others, ['country', chosen]])}`, { preventScrollReset: true });
  }

  return (
    <details className="mb-6 text-sm">
      <summary className="min-h-11 cursor-pointer py-3">
        {price === undefined ? `We do not deliver this to: ${name}. ` : `Delivery per order, to: ${name}. `}
        {pickup && `You can ${price === undefined ? '' : 'also '}collect your order. `}
        <span className="link">Change the country</span>
      </summary>
      <form
        method="get"
        action="?"
        onSubmit={submit}
        className="flex items-end gap-3 [&>div]:mb-0 [&>div]:min-w-0 [&>div]:grow"
      >
        {others.map(([key, value]) => (
          <input key={`${key} ${value}`} type="hidden" name={key} value={value} />
        ))}
        <SelectField
          key={country}
          id="country"
          name="country"
          label="Country"
          autoComplete="off"
          defaultValue={country}
          options={countries}
        />
        <Button type="submit" kind="plain" className="min-h-12">
          Show
        </Button>
      </form>
    </details>
  );
}
