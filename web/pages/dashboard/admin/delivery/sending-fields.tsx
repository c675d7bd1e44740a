import { memo } from 'react';
import { holidayCountries, holidayRegions } from '../../../../../contract/delivery/holiday-regions.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { SelectField } from '../../../../forms/fields/select-field.tsx';
import type { DeliveryDraft } from './draft.ts';
import { WorkingDays } from './working-days.tsx';

type Props = {
  draft: DeliveryDraft;
  errors: Readonly<Record<string, string>> | undefined;
  /** The names of the countries by code, in alphabetical order. */
  countries: Record<string, string>;
};

/** From where and on which days parcels are sent. Typing elsewhere does not render its long lists again. */
export const SendingFields = memo(function SendingFields({ draft, errors, countries }: Props) {
  return (
    <section aria-labelledby="sending" className="mb-10">
      <h2 id="sending" className="mb-4 text-2xl">
        Sending
      </h2>
      <div className="field-row sm:grid-cols-2">
        <SelectField
          id="shipsFrom"
          name="shipsFrom"
          label="Sent from"
          hint="The country that parcels leave from."
          defaultValue={draft.shipsFrom}
          error={errors?.shipsFrom}
          options={{ '': 'Choose…', ...countries }}
        />
        <Field
          label="Cut-off time"
          hint="Orders paid before this are sent on the same working day."
          type="time"
          name="cutOff"
          defaultValue={draft.cutOff}
          error={errors?.cutOff}
        />
      </div>
      <WorkingDays chosen={draft.workingDays} error={errors?.workingDays} />
      <div className="field-row mt-4 sm:grid-cols-2">
        <SelectField
          id="holidays"
          name="holidays"
          label="Public holidays"
          hint="Days on which you send nothing."
          defaultValue={draft.holidays}
          error={errors?.holidays}
          options={listHolidayRegions(countries)}
        />
        <Field
          label="Also closed on (optional)"
          hint="Such as 2026-12-24, 2026-12-28 to 2027-01-01."
          autoComplete="off"
          name="closed"
          defaultValue={draft.closed}
          error={errors?.closed}
        />
      </div>
    </section>
  );
});

/** The countries and regions whose holidays are known, by code. A region follows its country. */
function listHolidayRegions(countries: Record<string, string>): Record<string, string> {
  const regions = Object.entries(holidayRegions);
  const listed = Object.entries(countries).filter(([code]) => holidayCountries.includes(code));
  return {
    '': 'None',
    ...Object.fromEntries(
      listed.flatMap(([country, name]): [string, string][] => [
        [country, name],
        ...regions
          .filter(([code]) => code.startsWith(`${country}-`))
          .map(([code, region]): [string, string] => [code, `${name}: ${region}`]),
      ]),
    ),
  };
}
