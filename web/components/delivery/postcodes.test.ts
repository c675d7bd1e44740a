import { expect, test } from 'vitest';
import { formatPrefixes, parsePrefixes } from './postcodes.ts';

test.each([
  ['BT, HS; ZE', ['BT', 'HS', 'ZE'], 'BT, HS, ZE'],
  ['kw15–17', ['KW15', 'KW16', 'KW17'], 'KW15–17'],
  ['995-KW', ['995-KW'], '995-KW'],
  ['PH49-PH50, 995 - 997', ['PH49', 'PH50', '995', '996', '997'], 'PH49–50, 995–997'],
  ['KW9-11', ['KW9', 'KW10', 'KW11'], 'KW9, KW10–11'],
  ['09–11', ['09', '10', '11'], '09–11'],
  // No range: a Polish postcode, the wrong order.
  ['00-950, 12-10', ['00-950', '12-10'], '00-950, 12-10'],
])('%s are beginnings of postcodes', (text, prefixes, formatted) => {
  expect(parsePrefixes(text)).toEqual(prefixes);
  expect(formatPrefixes(prefixes)).toBe(formatted);
});
