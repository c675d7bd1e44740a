const range = /^(\p{L}*)(\d+)\s*[-–]\s*(?:\1)?(\d+)$/u;

/** More prefixes than the API accepts are no range. */
const maxRange = 200;

/**
 * The beginnings of postcodes in a text such as `BT, HS, KW5–17`. Numbers of unequal length without letters are no range: 00-950 is a
 * postcode.
 */
export function parsePrefixes(text: string): string[] {
  return text
    .split(/[,;\n]+/)
    .map((part) => part.trim())
    .filter(Boolean)
    .flatMap((part) => {
      const [, letters = '', from = '', to = ''] = range.exec(part.toUpperCase()) ?? [];
      const count = Number(to) - Number(from) + 1;
      const isRange = from.length === to.length || (letters !== '' && !from.startsWith('0'));
      if (from === '' || !isRange || count < 1 || count > maxRange) return [part];
      return Array.from(
        { length: count },
        (_, index) => letters + String(Number(from) + index).padStart(from.length, '0'),
      );
    });
}

/** The reverse of `parsePrefixes`. */
export function formatPrefixes(prefixes: readonly string[]): string {
  const runs: { letters: string; from: string; to: string }[] = [];
  for (const prefix of prefixes) {
    const [, letters = prefix, digits = ''] = /^(\D*)(\d+)$/.exec(prefix) ?? [];
    const last = runs.at(-1);
    const isNext =
      digits !== '' &&
      last?.letters === letters &&
      last.to.length === digits.length &&
      Number(last.to) + 1 === Number(digits);
    if (isNext && last) last.to = digits;
    else runs.push({ letters, from: digits, to: digits });
  }
  return runs.map(({ letters, from, to }) => letters + (from === to ? from : `${from}–${to}`)).join(', ');
}
