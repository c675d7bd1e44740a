import Holidays from 'date-holidays';
import { expect, test } from 'vitest';
import {
  holidayCountries,
  holidayRegions,
  isHolidayRegion,
} from '../../../contract/delivery/holiday-regions.ts';
import { readDaysOff } from './holidays.ts';

test('the list of countries and regions is that of the library', () => {
  const library = new Holidays();
  const countries = Object.keys(library.getCountries()).sort();
  const regions = countries.flatMap((country) =>
    Object.entries(library.getStates(country, 'en') ?? {}).flatMap(([state, name]) => [
      [`${country}-${state}`, name],
      ...Object.entries(library.getRegions(country, state, 'en') ?? {}).map(([region, part]) => [
        `${country}-${state}-${region}`,
        `${name}, ${part}`,
      ]),
    ]),
  );
  const expected = Object.fromEntries(regions.map(([code, name = '']) => [code, name.replaceAll("'", '’')]));
  expect(holidayRegions).toEqual(expected);
  expect([...holidayCountries].sort()).toEqual(countries);
  expect(['DE', 'DE-SN', 'XX', 'DE-XX', ''].map(isHolidayRegion)).toEqual([true, true, false, false, false]);
});

test('the days off are the public holidays, and the days on which the shop is closed', async () => {
  const closed = [
    { from: '2026-12-28', to: '2026-12-30' },
    { from: '2026-07-01', to: '2026-07-01' },
  ];
  const { isHoliday, isClosed } = await readDaysOff({ holidays: 'GB-ENG', closed });
  const days = ['2026-12-25', '2026-12-27', '2026-12-28', '2026-12-30', '2026-12-31', '2026-07-01'];
  expect(days.filter(isHoliday)).toEqual(['2026-12-25', '2026-12-28']);
  expect(days.filter(isClosed)).toEqual(['2026-12-28', '2026-12-30', '2026-07-01']);
});
