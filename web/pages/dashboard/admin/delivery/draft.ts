import { euCountries, isCountry } from '../../../../../contract/delivery/countries.ts';
import { foldPostcode, isPricedIn } from '../../../../../contract/delivery/rates.ts';
import type { Rate, Shipping, Zone } from '../../../../../contract/delivery/shipping-rates.ts';
import { parseAmount, parseNumber, parsePieces } from '../../../../../contract/fields.ts';
import { formatPrefixes, parsePrefixes } from '../../../../components/delivery/postcodes.ts';

/* The texts of the form. A field's name is its path in the document, such as `zones.0.rates.1.price`. */

export type RateDraft = {
  /** '' for a new rate. */
  id: string;
  name: string;
  by: string;
  from: string;
  to: string;
  price: string;
  freeFrom: string;
  /** Working days: at least, at most. */
  days: [string, string];
  isPickup: boolean;
  pickup: string;
};

export type ZoneDraft = {
  name: string;
  /** Codes, `*` for all other countries. */
  countries: string[];
  /** The text that was typed to add a country, if it names none. */
  unknownCountry?: string;
  postcodes: string;
  rates: RateDraft[];
};

export type DeliveryDraft = {
  /** The version of the document that the admin has seen. */
  version: string;
  shipsFrom: string;
  cutOff: string;
  /** From 1 (Monday) to 7 (Sunday). */
  workingDays: number[];
  /** The code of a country or region; '' for none. */
  holidays: string;
  /** Days and periods such as `2026-12-24, 2026-12-28 to 2027-01-01`. */
  closed: string;
  /** The rates are those of a starting point, and nobody has checked them yet. */
  hasExamples: boolean;
  zones: ZoneDraft[];
};

type Values = Readonly<Record<string, string>>;
/** The names of all countries by code. */
type Countries = Readonly<Record<string, string>>;

export const emptyRate: RateDraft = {
  id: '',
  name: '',
  by: 'flat',
  from: '',
  to: '',
  price: '',
  freeFrom: '',
  days: ['', ''],
  isPickup: false,
  pickup: '',
};

export const weekDays = [1, 2, 3, 4, 5, 6, 7];

const toText = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** The texts of a document. Amounts in another currency than the one that the shop charges are left out. */
export function toDraft(shipping: Shipping, charged: string): DeliveryDraft {
  const { version, shipsFrom, zones, cutOff, workingDays, holidays, closed } = shipping;
  const toAmount = isPricedIn(shipping, charged) ? toText : () => '';
  return {
    version: String(version),
    shipsFrom,
    cutOff,
    workingDays,
    holidays,
    closed: closed.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join(', '),
    hasExamples: false,
    zones: zones.map(({ name, countries, postcodes = [], rates }) => ({
      name,
      countries,
      postcodes: formatPrefixes(postcodes),
      rates: rates.map((rate) => ({
        id: rate._id ?? '',
        name: rate.name,
        by: rate.by,
        from: rate.by === 'total' ? toAmount(rate.from) : toText(rate.from),
        to: rate.by === 'total' ? toAmount(rate.to) : toText(rate.to),
        price: toAmount(rate.price),
        freeFrom: toAmount(rate.freeFrom),
        days: [toText(rate.days?.[0]), toText(rate.days?.[1])],
        isPickup: Boolean(rate.pickup),
        pickup: rate.pickup ?? '',
      })),
    })),
  };
}

/**
 * Reads the form's fields. A country that was typed but not added yet is added. The names of countries differ between browsers and
 * the server, so a page passes those that it was rendered with.
 */
export function readDraft(values: Values, countries: Countries): DeliveryDraft {
  const read = (name: string) => values[name] ?? '';
  const zones: ZoneDraft[] = [];
  for (let at = 0; values[`zones.${at}.countries`] !== undefined; at++) {
    const zone = `zones.${at}`;
    const rates: RateDraft[] = [];
    for (let index = 0; values[`${zone}.rates.${index}.by`] !== undefined; index++) {
      const rate = `${zone}.rates.${index}`;
      rates.push({
        id: read(`${rate}._id`),
        name: read(`${rate}.name`),
        by: read(`${rate}.by`),
        from: read(`${rate}.from`),
        to: read(`${rate}.to`),
        price: read(`${rate}.price`),
        freeFrom: read(`${rate}.freeFrom`),
        days: [read(`${rate}.days.0`), read(`${rate}.days.1`)],
        isPickup: read(`${rate}.isPickup`) !== '',
        pickup: read(`${rate}.pickup`),
      });
    }
    zones.push({
      name: read(`${zone}.name`),
      countries: read(`${zone}.countries`).split(' ').filter(Boolean),
      postcodes: read(`${zone}.postcodes`),
      rates,
    });
  }
  for (const [at, zone] of zones.entries())
    addCountry(zones, zone, read(`zones.${at}.add`).trim(), countries);
  return {
    version: read('version'),
    shipsFrom: read('shipsFrom'),
    cutOff: read('cutOff'),
    workingDays: weekDays.filter((day) => read(`workingDays.${day}`) !== ''),
    holidays: read('holidays'),
    closed: read('closed'),
    hasExamples: read('hasExamples') !== '',
    zones,
  };
}

/** The option that adds all member states of the EU which no other zone has. */
export const allOfEu = 'EU';

/** The text of an option to add a country, a group of countries or `*`. */
export const formatOption = (code: string, name: string): string => `${name} (${code})`;

/** The error of a country that was typed and does not exist. */
export const unknownCountry = 'Choose a country from the list, or enter a code such as GB';

/** The code in an option, or of a country that was typed by its code or name. Undefined if it is none. */
function findCode(typed: string, countries: Countries): string | undefined {
  const wanted = typed.toLowerCase();
  const [named] = Object.entries(countries).find(([, name]) => name.toLowerCase() === wanted) ?? [];
  const code = /\((..?)\)$/.exec(typed)?.[1] ?? named ?? typed.toUpperCase();
  return code === '*' || code === allOfEu || isCountry(code) ? code : undefined;
}

function addCountry(zones: readonly ZoneDraft[], zone: ZoneDraft, typed: string, countries: Countries): void {
  if (typed === '') return;
  const added = findCode(typed, countries);
  if (added === undefined) {
    zone.unknownCountry = typed;
    return;
  }
  const taken = new Set(
    zones.flatMap(({ countries, postcodes }) => (postcodes === '' ? countries : [])).concat(zone.countries),
  );
  const codes = added === allOfEu ? euCountries.filter((code) => !taken.has(code)) : [added];
  zone.countries.push(...codes.filter((code) => !zone.countries.includes(code)));
}

/** The fields of a draft by name, as the form posts them. */
export function toValues(draft: DeliveryDraft): Record<string, string> {
  const { version, shipsFrom, cutOff, workingDays, holidays, closed, hasExamples, zones } = draft;
  const values: Record<string, string> = { version, shipsFrom, cutOff, holidays, closed };
  if (hasExamples) values.hasExamples = 'true';
  for (const day of workingDays) values[`workingDays.${day}`] = 'true';
  for (const [at, { name, countries, unknownCountry = '', postcodes, rates }] of zones.entries()) {
    const zone = `zones.${at}`;
    Object.assign(values, {
      [`${zone}.name`]: name,
      [`${zone}.countries`]: countries.join(' '),
      [`${zone}.add`]: unknownCountry,
      [`${zone}.postcodes`]: postcodes,
    });
    for (const [index, { id, days, isPickup, ...texts }] of rates.entries()) {
      const rate = `${zone}.rates.${index}`;
      for (const [field, text] of Object.entries(texts)) values[`${rate}.${field}`] = text;
      values[`${rate}._id`] = id;
      values[`${rate}.days.0`] = days[0];
      values[`${rate}.days.1`] = days[1];
      if (isPickup) values[`${rate}.isPickup`] = 'true';
    }
  }
  return values;
}

/** The first and the last day of each period in a text such as `2026-12-24, 2026-12-28 to 2027-01-01`. */
const parseClosed = (text: string): { from: string; to: string }[] =>
  text
    .split(/[,;\n]+/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const [from = '', to = from] = part.split(/\s*(?:to|–|\s-)\s*/);
      return { from, to };
    });

const withoutAbsent = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The body of the call, before validation. */
export function toBody(
  { version, zones, closed, hasExamples: _, ...document }: DeliveryDraft,
  currency: string | undefined,
): unknown {
  return {
    ...document,
    ...(currency ? { currency } : {}),
    version: parseNumber(version),
    closed: parseClosed(closed),
    zones: zones.map(({ name, countries, postcodes, rates }) => ({
      name,
      countries,
      ...(postcodes.trim() ? { postcodes: parsePrefixes(postcodes) } : {}),
      rates: rates.map(({ id, name, by, from, to, price, freeFrom, days, isPickup, pickup }) => {
        const parseLimit = by === 'weight' ? parsePieces : parseAmount;
        const [fastest, slowest] = days.map(parsePieces);
        return withoutAbsent({
          _id: id || undefined,
          name,
          by,
          // The form hides the limits of a flat rate.
          ...(by === 'flat' ? {} : { from: parseLimit(from), to: parseLimit(to) }),
          price: parseAmount(price),
          freeFrom: parseAmount(freeFrom),
          days:
            fastest === undefined && slowest === undefined
              ? undefined
              : [fastest ?? slowest, slowest ?? fastest],
          pickup: isPickup ? pickup : undefined,
        });
      }),
    })),
  };
}

/** The zones as far as they are complete, for the preview. */
export function toZones({ zones }: DeliveryDraft): Zone[] {
  const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
  return zones.map(({ name, countries, postcodes, rates }) => ({
    name,
    countries,
    ...(postcodes.trim() ? { postcodes: parsePrefixes(postcodes).map(foldPostcode) } : {}),
    rates: rates.flatMap((rate): Rate[] => {
      const price = number(parseAmount(rate.price));
      const { by } = rate;
      if (price === undefined || (by !== 'flat' && by !== 'weight' && by !== 'total')) return [];
      const [from, to, freeFrom] = [rate.from, rate.to, rate.freeFrom].map((text) =>
        number(parseAmount(text)),
      );
      const [fastest, slowest] = rate.days.map((text) => number(parsePieces(text)));
      const least = fastest ?? slowest;
      return [
        {
          name: rate.name,
          by,
          price,
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          ...(freeFrom === undefined ? {} : { freeFrom }),
          ...(least === undefined ? {} : { days: [least, slowest ?? least] }),
          ...(rate.isPickup ? { pickup: rate.pickup } : {}),
        },
      ];
    }),
  }));
}

/** The typed texts, with the ids of the rates that have just been saved. */
export function addIds(typed: DeliveryDraft, saved: DeliveryDraft): DeliveryDraft {
  return {
    ...typed,
    version: saved.version,
    zones: typed.zones.map((zone, at) => ({
      ...zone,
      rates: zone.rates.map((rate, index) => {
        const now = saved.zones[at]?.rates[index];
        return rate.id === '' && now?.name === rate.name ? { ...rate, id: now.id } : rate;
      }),
    })),
  };
}
