import { expect, test } from 'vitest';
import { findGaps } from './gaps.ts';

const byWeight = (from: number | undefined, to: number | undefined) => ({
  name: 'Parcel',
  by: 'weight' as const,
  price: 5,
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});
const zone = (...rates: Parameters<typeof findGaps>[0]['rates']) => ({ name: '', countries: ['DE'], rates });

test('between the limits of the rates of a zone, orders may have no rate', () => {
  expect(findGaps(zone(byWeight(undefined, 500), byWeight(1000, 2000)))).toEqual([
    { by: 'weight', from: 500, to: 1000 },
  ]);
  expect(findGaps(zone(byWeight(600, undefined), byWeight(100, 300)))).toEqual([
    { by: 'weight', from: 0, to: 100 },
    { by: 'weight', from: 300, to: 600 },
  ]);
});

test('there is no gap where limits meet or overlap, or above the last limit', () => {
  expect(findGaps(zone(byWeight(500, 2000), byWeight(0, 600), byWeight(100, 200)))).toEqual([]);
});

test('a rate at one price sends every order, unless customers collect it', () => {
  const flat = { name: 'Post', by: 'flat' as const, price: 4 };
  expect(findGaps(zone(byWeight(500, 1000), flat))).toEqual([]);
  expect(findGaps(zone(byWeight(500, 1000), { ...flat, pickup: 'Mon–Fri' }))).toHaveLength(1);
  expect(findGaps(zone({ ...flat, by: 'total', from: 10 }, byWeight(500, 1000)))).toEqual([]);
});
