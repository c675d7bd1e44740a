/** The codes of ISO 3166-1 by country, in lower-case English. Made at the first use, because it takes milliseconds. */
let codes: Map<string, string> | undefined;

function listCodes(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const pairs = letters.flatMap((first) => letters.map((second) => `${first}${second}`));
  // Other codes, such as UK, have the name of a country, too.
  const current = pairs.filter((region) => new Intl.Locale('und', { region }).region === region);
  return new Map(current.map((code) => [names.of(code)?.toLowerCase() ?? '', code]));
}

/** The code of the country on the last line of an address, such as `GB` for United Kingdom. Undefined if there is none. */
export function findCountry(address: string): string | undefined {
  const last = address.split('\n').at(-1)?.trim().toLowerCase();
  codes ??= listCodes();
  return last ? codes.get(last) : undefined;
}
