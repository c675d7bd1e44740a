// Without Zod, because pages use it.

/** The codes of ISO 3166-1 alpha-2, and `XK` for Kosovo, which has none. */
export const countryCodes: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT ' +
  'JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
  'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY ' +
  'QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO ' +
  'TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
).split(' ');

const known = new Set(countryCodes);

export const isCountry = (code: string): boolean => known.has(code);

/** The member states of the European Union: https://european-union.europa.eu/principles-countries-history/eu-countries_en */
export const euCountries: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/**
 * Countries without a customs border between them: the European Union with Monaco (Article 4 of the Union Customs Code), the United
 * Kingdom with the Isle of Man, Switzerland with Liechtenstein, the United States with Puerto Rico.
 */
const customsAreas = [
  [...euCountries, 'MC'],
  ['GB', 'IM'],
  ['CH', 'LI'],
  ['US', 'PR'],
];

/** Whether a parcel between these countries crosses no customs border. */
export const isSameCustomsArea = (from: string, to: string): boolean =>
  from === to || customsAreas.some((area) => area.includes(from) && area.includes(to));

let names: Intl.DisplayNames | undefined;

/** The English name of a country. Browsers know other versions of the names: pages show names that their loader has read. */
export function nameCountry(code: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'region' });
  return names.of(code) ?? code;
}

/** The names of all countries by their codes, in alphabetical order. */
export const listCountries = (): Record<string, string> =>
  Object.fromEntries(
    countryCodes
      .map((code): [string, string] => [code, nameCountry(code)])
      .toSorted(([, one], [, other]) => one.localeCompare(other, 'en')),
  );
