import { describe, expect, test } from 'vitest';
import { foldPostcode, isServed, listServedZones } from '../../../contract/delivery/rates.ts';
import type { Rate, Shipping, Zone } from '../../../contract/delivery/shipping-rates.ts';
import { noDaysOff, readHolidays } from './holidays.ts';
import { computeQuote, estimateDelivery, type QuotedLine } from './quote.ts';

const flat = (name: string, price: number, more: Partial<Rate> = {}): Rate => ({
  _id: name,
  name,
  by: 'flat',
  price,
  ...more,
});

const shipTo = (countries: string[], rates: Rate[], postcodes?: string[]): Zone => ({
  name: countries.join(' '),
  countries,
  rates,
  ...(postcodes ? { postcodes } : {}),
});

const setUp = (...zones: Zone[]): Shipping => ({
  version: 1,
  shipsFrom: 'GB',
  zones,
  cutOff: '14:00',
  workingDays: [1, 2, 3, 4, 5],
  holidays: '',
  closed: [],
});

const line = (total: number, more: Partial<QuotedLine> = {}): QuotedLine => ({
  name: 'Gauge',
  quantity: 1,
  total,
  weight: null,
  not_to: null,
  ...more,
});

/** Thursday, 3 December 2026, 10:00 UTC. */
const now = Date.UTC(2026, 11, 3, 10);
const context = { currency: 'GBP', timeZone: 'Europe/London', daysOff: noDaysOff, now };

const namesOf = (shipping: Shipping, country: string, postcode = '', lines = [line(1000)]) =>
  computeQuote(context, shipping, lines, { country, postcode }).offers.map(({ id }) => id);

describe('the zone', () => {
  const shipping = setUp(
    shipTo(['GB'], [flat('mainland', 3)]),
    shipTo(['GB'], [flat('islands', 9)], ['BT', 'IM', 'PA20']),
    shipTo(['GB'], [flat('Shetland', 12)], ['ZE', 'BT93']),
    shipTo(['DE', 'FR'], [flat('Europe', 7)]),
    shipTo(['*'], [flat('world', 20)]),
    shipTo(['US'], []),
  );
  test.each([
    ['GB', 'LS1 4AP', ['mainland']],
    ['GB', 'bt1 5gs', ['islands']],
    ['GB', 'PA20 9AA', ['islands']],
    ['GB', 'PA2 0AA', ['mainland']],
    ['GB', 'BT93-3LY', ['Shetland']],
    ['DE', '04109', ['Europe']],
    ['BD', '1212', ['world']],
    ['US', '97201', []],
  ])('of %s %s has the rates %j', (country, postcode, names) => {
    expect(namesOf(shipping, country, postcode)).toEqual(names);
  });

  test.each([
    ['GB', true],
    ['BD', true],
    // Its zone has no rates: those of the rest of the world don't apply.
    ['US', false],
  ])('decides whether something is sent to %s: %s', (country, isSent) => {
    expect(isServed(shipping.zones, country)).toBe(isSent);
  });

  test('without rates is not replaced by another, but zones by postcode of the same country count', () => {
    const parts = setUp(
      shipTo(['GB'], [], ['ZE']),
      shipTo(['GB'], [flat('mainland', 3)]),
      shipTo(['DE'], []),
      shipTo(['DE'], [flat('Leipzig', 4)], ['04']),
      shipTo(['FR'], [], ['20']),
    );
    expect(namesOf(parts, 'GB', 'ZE1 0AA')).toEqual([]);
    expect(namesOf(parts, 'GB', 'LS1 4AP')).toEqual(['mainland']);
    expect(['GB', 'DE', 'FR'].map((country) => isServed(parts.zones, country))).toEqual([true, true, false]);
    const [, mainland, , leipzig] = parts.zones;
    expect(listServedZones(parts.zones, 'GB')).toEqual([mainland]);
    expect(listServedZones(parts.zones, 'DE')).toEqual([leipzig]);
    expect(estimateDelivery('GBP', parts, [line(1000)], 'DE')).toEqual({
      country: 'DE',
      price: 4,
      from: true,
    });
  });

  test('is not known without a postcode only if a zone of the country has postcodes', () => {
    const quote = (country: string) => computeQuote(context, shipping, [line(1)], { country, postcode: '' });
    expect(quote('GB')).toMatchObject({ problems: ['postcode'], offers: [] });
    expect(quote('DE').problems).toEqual([]);
    expect(quote('').problems).toEqual(['address']);
    expect(quote('US').problems).toEqual(['no_rate']);
  });
});

test('limits include their lower and exclude their upper end', () => {
  const byWeight = (name: string, from: number, to?: number): Rate => ({
    ...flat(name, 5),
    by: 'weight',
    from,
    ...(to === undefined ? {} : { to }),
  });
  const shipping = setUp(shipTo(['GB'], [byWeight('light', 0, 1000), byWeight('heavy', 1000, 5000)]));
  const quote = (weight: number, quantity = 1) =>
    computeQuote(context, shipping, [line(1000, { weight, quantity }), line(500)], {
      country: 'GB',
      postcode: '',
    });
  expect(quote(999).offers).toMatchObject([{ id: 'light' }]);
  expect(quote(1000).offers).toMatchObject([{ id: 'heavy' }]);
  expect(quote(500, 2).offers).toMatchObject([{ id: 'heavy' }]);
  expect(quote(5000)).toMatchObject({ offers: [], problems: ['too_heavy'] });
});

test('limits by total compare the goods', () => {
  const shipping = setUp(
    shipTo(
      ['GB'],
      [
        { ...flat('small', 4), by: 'total', to: 50 },
        { ...flat('large', 2), by: 'total', from: 50 },
      ],
    ),
  );
  expect(namesOf(shipping, 'GB', '', [line(4999)])).toEqual(['small']);
  expect(namesOf(shipping, 'GB', '', [line(2500), line(2500)])).toEqual(['large']);
});

test('a rate is free from a price of the goods on, and the cheapest rate is first', () => {
  const shipping = setUp(shipTo(['GB'], [flat('courier', 8, { freeFrom: 100 }), flat('post', 3.5)]));
  const quote = (total: number) =>
    computeQuote(context, shipping, [line(total)], { country: 'GB', postcode: '' }, 'courier');
  expect(quote(9999)).toMatchObject({ offers: [{ id: 'post' }, { id: 'courier' }], total: 9999 + 800 });
  expect(quote(10000)).toMatchObject({ offers: [{ id: 'courier', amount: 0 }, {}], total: 10000 });
});

test('a product that is not sent to a country, and a rate that is no longer offered, are problems', () => {
  const shipping = setUp(shipTo(['*'], [flat('world', 20)]));
  const lines = [line(100, { name: 'Lathe', not_to: 'US CA' }), line(100)];
  const quote = (country: string, rate: string) =>
    computeQuote(context, shipping, lines, { country, postcode: '' }, rate);
  expect(quote('CA', 'world')).toMatchObject({ problems: ['not_to'], notTo: ['Lathe'] });
  expect(quote('JP', 'world')).toMatchObject({ problems: [], total: 2200 });
  expect(quote('JP', 'gone')).toMatchObject({ problems: ['rate_gone'], total: 200 });
});

test.each([
  ['before the cut-off time', 10, { sendBy: '2026-12-03', from: '2026-12-04', to: '2026-12-08' }],
  ['after it', 15, { sendBy: '2026-12-04', from: '2026-12-07', to: '2026-12-09' }],
])('a parcel paid %s arrives within working days', (_, hour, promise) => {
  const shipping = setUp(shipTo(['GB'], [flat('post', 3, { days: [1, 3] })]));
  const at = { ...context, now: Date.UTC(2026, 11, 3, hour) };
  const { offers } = computeQuote(at, shipping, [line(1)], { country: 'GB', postcode: '' });
  expect(offers).toMatchObject([{ promise }]);
});

test('an order at the weekend is sent on Monday, and a shop without working days promises nothing', () => {
  const shipping = setUp(shipTo(['GB'], [flat('post', 3, { days: [0, 1] })]));
  const at = { ...context, now: Date.UTC(2026, 11, 5, 8) };
  const quote = (workingDays: number[]) =>
    computeQuote(at, { ...shipping, workingDays }, [line(1)], { country: 'GB', postcode: '' }).offers[0]
      ?.promise;
  expect(quote([1, 2, 3, 4, 5])).toEqual({ sendBy: '2026-12-07', from: '2026-12-07', to: '2026-12-08' });
  expect(quote([])).toBeUndefined();
});

test.each([
  ['GB-ENG', { sendBy: '2026-12-24', from: '2026-12-29', to: '2026-12-30' }],
  ['GB-SCT', { sendBy: '2026-12-24', from: '2026-12-29', to: '2026-12-30' }],
  ['DE-SN', { sendBy: '2026-12-24', from: '2026-12-28', to: '2026-12-29' }],
  ['', { sendBy: '2026-12-24', from: '2026-12-25', to: '2026-12-28' }],
  ['XX', { sendBy: '2026-12-24', from: '2026-12-25', to: '2026-12-28' }],
])('the holidays of %j are no working days', async (region, promise) => {
  const shipping = setUp(shipTo(['GB'], [flat('post', 3, { days: [1, 2] })]));
  const isHoliday = await readHolidays(region);
  // Thursday, 24 December 2026.
  const at = { ...context, daysOff: { ...noDaysOff, isHoliday }, now: Date.UTC(2026, 11, 24, 9) };
  const { offers } = computeQuote(at, shipping, [line(1)], { country: 'GB', postcode: '' });
  expect(offers).toMatchObject([{ promise }]);
});

test.each([
  ['BT1 5GS', 'BT15GS'],
  ['ＢＴ１', 'BT1'],
  ['১২১২', '1212'],
  ['١٢٢١١', '12211'],
  ['１５０-０００１', '1500001'],
  ['-', ''],
])('the postcode %j is compared as %j', (postcode, folded) => {
  expect(foldPostcode(postcode)).toBe(folded);
});

test('a holiday of several days is a holiday on each of them', async () => {
  const isHoliday = await readHolidays('SA');
  const days = ['2026-03-20', '2026-03-21', '2026-03-22'].map(isHoliday);
  expect(days).toEqual([true, true, true]);
});

test('Bangladesh has the holidays of its own calendar', async () => {
  const isHoliday = await readHolidays('BD');
  expect(['2026-02-21', '2026-02-22', '2026-03-26'].map(isHoliday)).toEqual([true, false, true]);
});

test('an order that is too small learns from which price it would be sent', () => {
  const byTotal = (from: number) => flat(`from ${from}`, 5, { by: 'total', from });
  const shipping = setUp(shipTo(['GB'], [byTotal(50), byTotal(20)]), shipTo(['DE'], [flat('post', 5)]));
  const quote = (country: string, total: number) =>
    computeQuote(context, shipping, [line(total)], { country, postcode: '' });
  expect(quote('GB', 1999)).toMatchObject({ problems: ['no_rate'], minimum: 20 });
  expect(quote('GB', 2000)).toMatchObject({ problems: [], minimum: undefined });
  expect(quote('FR', 2000)).toMatchObject({ problems: ['no_rate'], minimum: undefined });
});

test('a postcode may be typed with the prefix of its country', () => {
  const shipping = setUp(
    shipTo(['LT'], [flat('Vilnius', 5)], ['01']),
    shipTo(['LT'], [flat('elsewhere', 9)]),
  );
  for (const postcode of ['LT-01103', 'lt 01103', '01103'])
    expect(namesOf(shipping, 'LT', postcode)).toEqual(['Vilnius']);
  expect(namesOf(shipping, 'LT', 'LT-92101')).toEqual(['elsewhere']);
});
