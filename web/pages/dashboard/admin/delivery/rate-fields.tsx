import { useState } from 'react';
import { describedBy, Field } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import type { RateDraft } from './draft.ts';
import { StepButton } from './step-button.tsx';

export type Describe = (
  name: string,
  value: string,
) => { name: string; defaultValue: string; error: string | undefined };

type Props = {
  zone: number;
  index: number;
  /** How many rates the zone has. */
  count: number;
  rate: RateDraft;
  /** The price is an example that nobody has checked. */
  isExample: boolean;
  currency: string;
  describe: Describe;
};

const kinds = { flat: 'One price', weight: 'By weight', total: 'By order total' };

/** The fields of a rate. Styles show only those that fit its kind, so that it works without scripts. */
export function RateFields({ zone, index, count, rate, isExample, currency, describe }: Props) {
  const [isReplaced, setReplaced] = useState(false);
  const id = `zones.${zone}.rates.${index}`;
  const places = `${zone} ${index}`;
  const field = (name: string, value: string) => ({
    autoComplete: 'off',
    ...describe(`${id}.${name}`, value),
  });
  const by = describe(`${id}.by`, rate.by);
  const suffix = <span className="sr-only">{` rate ${index + 1} of zone ${zone + 1}`}</span>;
  const unit = (
    <span className="text-soft">
      <span className="hidden group-has-[option[value=weight]:checked]/rate:inline">grams</span>
      <span className="hidden group-has-[option[value=total]:checked]/rate:inline">{currency}</span>
    </span>
  );
  return (
    <fieldset
      aria-labelledby={id}
      onInput={({ target }) => {
        if (target instanceof HTMLInputElement && target.name === `${id}.price`) setReplaced(true);
      }}
      className="group/rate mb-4 min-w-0 border border-rule bg-leaf px-4 pt-2 pb-4"
    >
      {rate.id && <input type="hidden" name={`${id}._id`} value={rate.id} />}
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4">
        <h4 id={id} tabIndex={-1} className="caps text-soft">
          {`Rate ${index + 1}`}
        </h4>
        <span className="flex flex-wrap gap-x-4">
          {index > 0 && (
            <StepButton isSmall step={`up-rate ${places}`} goTo={`zones.${zone}.rates.${index - 1}`}>
              Up{suffix}
            </StepButton>
          )}
          {index < count - 1 && (
            <StepButton isSmall step={`down-rate ${places}`} goTo={`zones.${zone}.rates.${index + 1}`}>
              Down{suffix}
            </StepButton>
          )}
          <StepButton
            isSmall
            step={`remove-rate ${places}`}
            goTo={index < count - 1 ? id : `add-rate-${zone}`}
            className="text-ruby"
          >
            Remove{suffix}
          </StepButton>
        </span>
      </div>
      <div className="field-row sm:grid-cols-3 [&>div]:mb-4">
        <Field label="Name" maxLength={60} placeholder="Standard" {...field('name', rate.name)} />
        <SelectField id={by.name} name={by.name} defaultValue={rate.by} label="Priced" options={kinds} />
        <Field
          label={`Price in ${currency}`}
          inputMode="decimal"
          beside={
            isExample && !isReplaced && rate.price !== '' ? (
              <span className="px-3 text-sm text-brass">Example</span>
            ) : null
          }
          {...field('price', rate.price)}
        />
      </div>
      <div className="field-row group-has-[option[value=flat]:checked]/rate:hidden sm:grid-cols-3 [&>div]:mb-4">
        <Field
          label="From"
          inputMode="decimal"
          placeholder="0"
          beside={beside(unit)}
          {...field('from', rate.from)}
        />
        <Field
          label="To less than"
          inputMode="decimal"
          placeholder="No limit"
          beside={beside(unit)}
          {...field('to', rate.to)}
        />
      </div>
      <div className="field-row sm:grid-cols-3 [&>div]:mb-4">
        <Field
          label="Free from (optional)"
          inputMode="decimal"
          beside={beside(<span className="text-soft">{currency}</span>)}
          {...field('freeFrom', rate.freeFrom)}
        />
        <Field
          label="Working days, at least"
          inputMode="numeric"
          placeholder="No promise"
          {...field('days.0', rate.days[0])}
        />
        <Field
          label="At most"
          inputMode="numeric"
          placeholder="No promise"
          {...field('days.1', rate.days[1])}
        />
      </div>
      <label className="flex min-h-11 items-center gap-3 text-sm">
        <input
          type="checkbox"
          name={`${id}.isPickup`}
          value="true"
          defaultChecked={rate.isPickup}
          className="size-5 shrink-0"
          {...describedBy(`${id}.isPickup`, undefined, undefined)}
        />
        Customers collect their order
      </label>
      <div className="hidden group-has-[input[type=checkbox]:checked]/rate:block [&>div]:mt-2 [&>div]:mb-0">
        <Field
          label="Where and when"
          maxLength={300}
          placeholder="1 Mill Lane, York, Monday to Friday, 9 to 17"
          {...field('pickup', rate.pickup)}
        />
      </div>
    </fieldset>
  );
}

const beside = (unit: React.ReactNode) => <span className="px-3 text-sm">{unit}</span>;
