import { expect, test } from 'vitest';
import { carriers, createTrackingUrl, findMistypedCarrier, guessCarrier } from './carriers.ts';

/** Published by the carriers or in https://github.com/jkeen/tracking_number_data. */
test.each([
  ['1Z5R89390357567127', 'UPS'],
  ['1z 879e93 03 4683 4440', 'UPS'],
  ['1ZXX3150YW44070023', 'UPS'],
  ['9400 1112 0108 0805 4830 16', 'USPS'],
  ['9505511069605048600624', 'USPS'],
  ['7112 3456 7891 2345 6787', 'USPS'],
  ['0307 1790 0005 2348 3741', 'USPS'],
  ['RB123456785US', 'USPS'],
  ['986578788855', 'FedEx'],
  ['5682 8361 0012 734', 'FedEx'],
  ['9611020987654312345672', 'FedEx'],
  ['3318810025', 'DHL'],
  ['73891051146', 'DHL'],
  ['JD014600003828392837', 'DHL'],
  ['RB123456785GB', 'Royal Mail'],
  ['RB123456785FR', 'La Poste'],
  ['RB123456785CA', 'Canada Post'],
  ['01905023456789', 'DPD'],
])('%s is recognized as %s', (number, carrier) => {
  expect(guessCarrier(number)).toBe(carrier);
});

test.each([
  '1Z5R89390357567128',
  '0307 1790 0005 2348 3742',
  '996578788855',
  '5682 8361 0012 732',
  '3318810010',
  'RB123456786GB',
  '',
  'left at the door',
])('%s is not recognized', (number) => {
  expect(guessCarrier(number)).toBeUndefined();
});

test.each([
  ['1Z5R89390357567128', 'UPS'],
  ['1z 5r8 939 03 5756 7217', 'UPS'],
  ['1Z5R8939035756712O', 'UPS'],
  ['9400 1112 0108 0805 4830 17', 'USPS'],
  ['RB123456786GB', 'Royal Mail'],
  ['rb 1234 5687 5 us', 'USPS'],
  ['RB123456786FR', 'La Poste'],
])('%s has a wrong check digit for %s', (number, carrier) => {
  expect([findMistypedCarrier(number), guessCarrier(number)]).toEqual([carrier, undefined]);
});

test.each([
  '1Z5R89390357567127',
  '9400 1112 0108 0805 4830 16',
  'RB123456785GB',
  // A number of another length or country, or one that several carriers use, may be valid.
  '1Z5R8939',
  'RB123456786PL',
  '0307 1790 0005 2348 3742',
  '996578788855',
  '19050234567890',
  'B-17',
  '',
])('%s is not reported as mistyped', (number) => {
  expect(findMistypedCarrier(number)).toBeUndefined();
});

test('no carrier is guessed for a number that fits two', () => {
  // Fifteen digits are FedEx Ground, or a DPD number with its check character.
  const numbers = Array.from({ length: 2000 }, (_, index) => `0190502345${String(index).padStart(5, '0')}`);
  const guesses = Map.groupBy(numbers, (number) => guessCarrier(number) ?? 'none');
  expect([...guesses.keys()].sort()).toEqual(['DPD', 'FedEx', 'none']);
  // One in ten has FedEx's check digit, one in 36 or so DPD's; both together are rare.
  expect(guesses.get('FedEx')?.length).toBeLessThan(200);
});

test('a tracking link leads to the carrier’s own site, whatever the number', () => {
  for (const { name, link } of carriers) {
    const url = createTrackingUrl(name.toUpperCase(), '"><script>//evil.example/?a=1&b=2#c');
    expect(url?.startsWith(link)).toBe(true);
    expect(url?.slice(link.length)).toMatch(/^[\w%.!~*'()-]+$/);
    expect(new URL(url ?? '').origin).toBe(new URL(link).origin);
    expect(link.startsWith('https://')).toBe(true);
  }
  expect(createTrackingUrl('Bike courier', '1')).toBeUndefined();
  expect(guessCarrier('1Z'.repeat(1_000_000))).toBeUndefined();
});
