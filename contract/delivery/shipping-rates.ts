import { z } from 'zod';
import type { Call } from '../call.ts';
import { amount, quantity, seenVersion, singleLineRule, text } from '../fields.ts';
import { paths } from '../paths.ts';
import { listLocalFields } from './address-format.ts';
import { country } from './addresses.ts';
import { isCountry, nameCountry } from './countries.ts';
import { isHolidayRegion } from './holiday-regions.ts';
import { foldPostcode } from './rates.ts';

export const maxZones = 200;
export const maxRates = 500;
const maxPostcodes = 200;
const maxClosed = 100;

const name = (label: string) => text(label, 60).refine(...singleLineRule(label));

/** An amount of money that may be 0. */
const fee = (label: string) => z.union([z.literal(0), amount(label)], `${label} must be 0 or more`);

const days = z
  .tuple([quantity('Days', 0).max(99), quantity('Days', 0).max(99)])
  .refine(([from, to]) => from <= to, 'The second number of days must be at least the first')
  .describe('How many working days a parcel takes: at least, at most.');

const bound = (label: string) =>
  z.union([z.literal(0), z.number().positive().max(1e10)], `${label} must be 0 or more`);

export const rate = z
  .object({
    _id: z.string().min(1).max(60).optional().describe('Absent for a new rate; the shop then assigns one.'),
    name: name('Name'),
    by: z
      .enum(['flat', 'weight', 'total'])
      .describe('`from` and `to` are compared with the weight in grams, or with the price of the goods.'),
    from: bound('From').optional().describe('The rate applies from this value on; without it, from 0.'),
    to: bound('To').optional().describe('The rate applies below this value; without it, there is no limit.'),
    price: fee('Price'),
    freeFrom: amount('Free from')
      .optional()
      .describe('Goods of at least this price are sent free of charge.'),
    days: days.optional().describe('Without it, the shop promises no dates.'),
    pickup: text('Pick-up')
      .optional()
      .describe('Where and when the customer collects the parcel; only for a rate that sends nothing.'),
  })
  .superRefine(({ by, from, to }, { addIssue }) => {
    if (by === 'flat' && (from !== undefined || to !== undefined))
      addIssue({ code: 'custom', path: ['from'], message: 'A flat rate has no limits' });
    if (by === 'weight' && ![from ?? 0, to ?? 0].every(Number.isInteger))
      addIssue({ code: 'custom', path: ['from'], message: 'A weight must be a whole number of grams' });
    if (to !== undefined && to <= (from ?? 0))
      addIssue({ code: 'custom', path: ['to'], message: 'The second limit must be more than the first' });
  });
export type Rate = z.output<typeof rate>;

/** `*` is every country that no other zone has. */
const zoneCountry = z.union([z.literal('*'), country], 'Country must be a code of two letters, such as GB');

export const zone = z
  .object({
    name: name('Name'),
    countries: z.array(zoneCountry).min(1, 'Choose at least one country').max(250),
    postcodes: z
      .array(
        z
          .string()
          .transform(foldPostcode)
          .pipe(z.string().min(1, 'A postcode must have letters or digits').max(20)),
      )
      .max(maxPostcodes)
      .optional()
      .describe(
        'The beginnings of postcodes, such as `BT` or `HS1`. Without them, the zone is the rest of its countries.',
      ),
    rates: z.array(rate).max(maxRates),
  })
  .superRefine(({ countries, postcodes }, { addIssue }) => {
    if (postcodes?.length && countries.length !== 1)
      addIssue({
        code: 'custom',
        path: ['postcodes'],
        message: 'Only a zone with a single country can have postcodes',
      });
    if (postcodes?.length && countries.includes('*'))
      addIssue({
        code: 'custom',
        path: ['postcodes'],
        message: 'A zone for the rest of the world cannot have postcodes',
      });
    const [only = ''] = countries;
    if (postcodes?.length && isCountry(only) && !listLocalFields(only).includes('postcode'))
      addIssue({
        code: 'custom',
        path: ['postcodes'],
        message: `Addresses in this country have no postcode: ${nameCountry(only)}`,
      });
  });
export type Zone = z.output<typeof zone>;

const day = z.iso.date('A day must be like 2026-12-24');

const clock = /^([01]\d|2[0-3]):[0-5]\d$/;

const shippingFields = z.object({
  shipsFrom: z
    .union([z.literal(''), country])
    .default('')
    .describe('The country that parcels are sent from; required once there is a rate.'),
  zones: z.array(zone).max(maxZones),
  cutOff: z
    .string()
    .regex(clock, 'The time must be like 14:00')
    .describe("Orders paid before this time, in the shop's time zone, are sent on the same working day."),
  workingDays: z
    .array(z.int().min(1).max(7))
    .max(7)
    .transform((list) => [...new Set(list)].sort())
    .pipe(z.array(z.int()).min(1, 'Choose at least one working day'))
    .describe('The days on which parcels are sent, from 1 (Monday) to 7 (Sunday).'),
  holidays: z
    .string()
    .refine((code) => code === '' || isHolidayRegion(code), 'Choose a country or region from the list')
    .default('')
    .describe(
      'The country or region whose public holidays are no working days, such as `DE-SN`; empty for none.',
    ),
  closed: z
    .array(
      z
        .object({ from: day, to: day })
        .refine(({ from, to }) => from <= to, 'The first day must not be after the last'),
    )
    .max(maxClosed)
    .default([])
    .describe('Other days on which no parcels are sent: the first and the last of each period.'),
  currency: z
    .string()
    .optional()
    .describe(
      'The currency of all amounts. An edit must use the one that the shop charges. If the stored one differs, no rate is offered.',
    ),
});

const versionedShipping = shippingFields.extend({
  version: z.int().describe('Counts the edits; 0 before the first. Send it back with an edit.'),
});
export type Shipping = z.output<typeof versionedShipping>;

/** Rules across zones. */
export const shippingEdit = shippingFields
  .extend({ version: seenVersion })
  .superRefine((edit, { addIssue }) => {
    const report = (path: (string | number)[], message: string) =>
      addIssue({ code: 'custom', path, message });
    const seen = new Set<string>();
    const ids = new Set<string>();
    let rates = 0;
    const names = new Set<string>();
    for (const [index, { name, countries, postcodes, rates: own }] of edit.zones.entries()) {
      if (names.has(name)) report(['zones', index, 'name'], 'Two zones have this name');
      names.add(name);
      const keys = postcodes?.length
        ? postcodes.map((postcode) => `${countries[0]} ${postcode}`)
        : countries.map((code) => (code === '*' ? 'the rest of the world' : code));
      for (const key of keys) {
        if (seen.has(key)) report(['zones', index, 'countries'], `Two zones have ${key}`);
        seen.add(key);
      }
      for (const { _id } of own) {
        if (_id !== undefined && ids.has(_id))
          report(['zones', index, 'rates'], 'Two rates have the same id');
        if (_id !== undefined) ids.add(_id);
      }
      rates += own.length;
    }
    if (rates > maxRates) report(['zones'], `At most ${maxRates} rates are possible`);
    if (rates > 0 && edit.shipsFrom === '') report(['shipsFrom'], 'Choose the country that you send from');
  });
export type ShippingEdit = z.output<typeof shippingEdit>;

export const shippingRateCalls = {
  getShipping: {
    ...paths.getShipping,
    summary: 'Get the delivery zones and rates',
    access: 'everyone',
    response: versionedShipping,
  },
  saveShipping: {
    ...paths.saveShipping,
    summary: 'Save the delivery zones and rates',
    access: 'admin',
    body: shippingEdit,
    response: versionedShipping,
    conflicts: ['edit_conflict'],
  },
} as const satisfies Record<string, Call>;
