import { expect, test } from 'vitest';
import { guessCarrier } from './carriers.ts';
import { listTrackingNumbers, readTrackingNumber } from './scanned-codes.ts';

/** The numbers come from https://github.com/jkeen/tracking_number_data, or are the carriers' own examples. */
test.each([
  ['420221539101026837331000039521', '9101026837331000039521', 'USPS'],
  [']C1420221539101026837331000039521', '9101026837331000039521', 'USPS'],
  ['42022153\x1d9101026837331000039521', '9101026837331000039521', 'USPS'],
  ['(420)22153(91)01026837331000039521', '9101026837331000039521', 'USPS'],
  ['4201002334249200190132607600833457', '9200190132607600833457', 'USPS'],
  ['4201028200009261290113185417468510', '9261290113185417468510', 'USPS'],
  ['42010023 92748931507708513018050063', '92748931507708513018050063', undefined],
  ['4201002303071790000523483741', '03071790000523483741', 'USPS'],
  ['1001921334250001000300779017972697', '779017972697', 'FedEx'],
  [' 1001 9017 8199 0001 0003 0061 7767 8394 37 ', '617767839437', 'FedEx'],
  ['9622001900000000000000776632517510', '776632517510', 'FedEx'],
  ['9632001560123456789900794808390594', '794808390594', 'FedEx'],
  ['9611020987654312345672', '987654312345672', 'FedEx'],
  ['%000646001905023456789101276', '01905023456789', 'DPD'],
  [']C0%000646001905023456789101276', '01905023456789', 'DPD'],
  [']C100340434161094015902', '00340434161094015902', undefined],
  ['(00)340434161094015902', '00340434161094015902', undefined],
  [']C01Z5R89390357567127', '1Z5R89390357567127', 'UPS'],
])('the code %j has the number %s', (code, number, carrier) => {
  expect(readTrackingNumber(code)).toBe(number);
  if (carrier) expect(guessCarrier(code)).toBe(carrier);
  expect(readTrackingNumber(number)).toBe(number);
});

test.each([
  // Numbers as people read them, and codes with a wrong check digit or another length.
  '1Z5R89390357567127',
  '9400111201080805483016',
  '986578788855',
  'JD014600003828392837',
  'RB123456785GB',
  '420221539101026837331000039522',
  '42022153910102683733100003952',
  '420-22153',
  '42022153',
  '1001921334250001000300779017972698',
  '9611020987654312345673',
  '%00064600190502345678910127',
  'A-17',
  'left-at-the-door',
  '',
])('%s stays as it is', (number) => {
  expect(readTrackingNumber(number)).toBe(number);
});

test('a number is read in a time that does not depend on its content, however long it is', () => {
  for (const part of ['(1', '420', '1)', ']C1', '96'])
    expect(readTrackingNumber(part.repeat(20_000)).length).toBeGreaterThan(0);
});

test('the number of a logistic unit is found with and without its application identifier', () => {
  expect(listTrackingNumbers('(00) 340434161094015902')).toEqual([
    '00340434161094015902',
    '340434161094015902',
  ]);
  expect(listTrackingNumbers('340434161094015902')).toEqual(['340434161094015902', '00340434161094015902']);
  expect(listTrackingNumbers('A-17 B')).toEqual(['A-17B']);
});
