import { useRef } from 'react';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { allOfEu, formatOption, unknownCountry, type ZoneDraft } from './draft.ts';
import { type Describe, RateFields } from './rate-fields.tsx';
import { StepButton } from './step-button.tsx';

export const restOfTheWorld = 'Rest of the world';

/** With more zones, laying out all of them would delay each key. */
const manyZones = 20;
/** The browser lays out only the zones in view. The padding leaves room for the focus rings, which would be cut off. */
const onlyInView = '-mx-2 px-2 pb-2 [contain-intrinsic-size:auto_40rem] [content-visibility:auto]';

const countryOptions = 'country-options';

/** The suggestions for all zones: a list of its own in each of 200 zones would be most of the page. */
export function CountryOptions({ countries }: Pick<Props, 'countries'>) {
  const options = { '*': restOfTheWorld, [allOfEu]: 'European Union', ...countries };
  return (
    <datalist id={countryOptions}>
      {Object.entries(options).map(([code, name]) => (
        <option key={code} value={formatOption(code, name)} />
      ))}
    </datalist>
  );
}

type Props = {
  at: number;
  /** How many zones there are. */
  count: number;
  zone: ZoneDraft;
  hasExamples: boolean;
  currency: string;
  /** The names of the countries by code, in alphabetical order. */
  countries: Record<string, string>;
  describe: Describe;
};

/** The fields of a zone: its countries and rates. */
export function ZoneFields({ at, count, zone, hasExamples, currency, countries, describe }: Props) {
  const id = `zones.${at}`;
  const nameOf = (code: string) => (code === '*' ? restOfTheWorld : (countries[code] ?? code));
  const order = Object.keys(countries);
  const shown = zone.countries.toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
  const { error } = describe(`${id}.countries`, '');
  const addButton = useRef<HTMLButtonElement>(null);
  const canHavePostcodes = zone.countries.length === 1 && zone.countries[0] !== '*';
  const suffix = <span className="sr-only">{` zone ${at + 1}`}</span>;
  return (
    <fieldset
      aria-labelledby={id}
      className={`mb-10 min-w-0 border-t-2 border-edge pt-3 ${count > manyZones ? onlyInView : ''}`}
    >
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4">
        <h3 id={id} tabIndex={-1} className="text-xl">
          {zone.name ? `Zone ${at + 1}: ${zone.name}` : `Zone ${at + 1}`}
        </h3>
        <span className="flex flex-wrap gap-x-4">
          {at > 0 && (
            <StepButton isSmall step={`up-zone ${at}`} goTo={`zones.${at - 1}`}>
              Up{suffix}
            </StepButton>
          )}
          {at < count - 1 && (
            <StepButton isSmall step={`down-zone ${at}`} goTo={`zones.${at + 1}`}>
              Down{suffix}
            </StepButton>
          )}
          <StepButton
            isSmall
            step={`remove-zone ${at}`}
            goTo={at < count - 1 ? id : 'add-zone'}
            className="text-ruby"
          >
            Remove{suffix}
          </StepButton>
        </span>
      </div>
      <Field
        label="Zone name"
        maxLength={60}
        autoComplete="off"
        placeholder="Germany"
        {...describe(`${id}.name`, zone.name)}
      />
      <input type="hidden" name={`${id}.countries`} value={zone.countries.join(' ')} />
      <p className="mb-1.5 text-sm font-medium">Countries</p>
      {zone.countries.length === 0 && <p className="mb-3 text-sm text-soft">None yet: add at least one.</p>}
      {zone.countries.length > 0 && (
        <ul aria-label={`Countries of zone ${at + 1}`} className="mb-3 flex flex-wrap gap-2">
          {shown.map((code) => (
            <li
              key={code}
              className="flex min-h-11 items-center border border-edge bg-leaf pl-3 text-sm sm:min-h-9"
            >
              {nameOf(code)}
              <button
                type="submit"
                name="step"
                value={`remove-country ${at} ${code}`}
                formAction={`#${id}.countries`}
                className="min-h-11 min-w-11 cursor-pointer text-soft hover:text-ruby sm:min-h-9 sm:min-w-9"
              >
                <span aria-hidden="true">×</span>
                <span className="sr-only">{`Remove ${nameOf(code)}`}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="mb-6 flex items-end gap-3 [&>div]:mb-0 [&>div]:min-w-0 [&>div]:grow">
        <Field
          id={`${id}.countries`}
          name={`${id}.add`}
          label="Add a country"
          list={countryOptions}
          autoComplete="off"
          error={error ?? (zone.unknownCountry ? unknownCountry : undefined)}
          defaultValue={zone.unknownCountry ?? ''}
          onKeyDown={(event) => {
            // Without scripts, Enter presses the form's first button.
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            addButton.current?.click();
          }}
        />
        <StepButton ref={addButton} step={`add-country ${at}`} goTo={`${id}.countries`} className="min-h-12">
          Add<span className="sr-only">{` the country to zone ${at + 1}`}</span>
        </StepButton>
      </div>
      {(canHavePostcodes || zone.postcodes !== '') && (
        <TextArea
          rows={zone.postcodes.length > 60 ? 3 : 1}
          label="Only these postcodes (optional)"
          hint="The first characters, such as BT, HS, KW15–17. Leave it empty for all other postcodes."
          autoComplete="off"
          spellCheck={false}
          {...describe(`${id}.postcodes`, zone.postcodes)}
        />
      )}
      {zone.rates.length === 0 && (
        <p className="mb-4 text-soft">Without a rate, you do not deliver to this zone.</p>
      )}
      {zone.rates.map((rate, index) => (
        <RateFields
          // biome-ignore lint/suspicious/noArrayIndexKey: steps render all fields anew.
          key={index}
          zone={at}
          index={index}
          count={zone.rates.length}
          rate={rate}
          isExample={hasExamples && rate.id === ''}
          currency={currency}
          describe={describe}
        />
      ))}
      <StepButton
        id={`add-rate-${at}`}
        step={`add-rate ${at}`}
        goTo={`${id}.rates.${zone.rates.length}.name`}
      >
        Add a rate<span className="sr-only">{` to zone ${at + 1}`}</span>
      </StepButton>
    </fieldset>
  );
}
