/*
 * Normalizes and splits text for searches, sort orders and categories. On PostgreSQL, the functions of `migrations/text-functions.ts`
 * do the same with the constants of this file.
 */

type Range = [first: number, last: number];

/** Invisible characters: soft hyphens, joiners, direction controls, variation selectors and tags. */
export const invisible: Range[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

/**
 * Marks that people often omit: accents, Cyrillic titlos, Hebrew points, Arabic, Syriac and N'Ko vowels and tones, the Arabic
 * tatweel, and the dots and accents of Indic scripts. Excludes the vowels of scripts that always write them.
 */
export const marks: Range[] = [
  [0x300, 0x36f],
  [0x483, 0x489],
  [0x591, 0x5bd],
  [0x5bf, 0x5bf],
  [0x5c1, 0x5c2],
  [0x5c4, 0x5c5],
  [0x5c7, 0x5c7],
  [0x610, 0x61a],
  [0x640, 0x640],
  [0x64b, 0x65f],
  [0x670, 0x670],
  [0x6d6, 0x6dc],
  [0x6df, 0x6e4],
  [0x6e7, 0x6e8],
  [0x6ea, 0x6ed],
  [0x711, 0x711],
  [0x730, 0x74a],
  [0x7eb, 0x7f3],
  [0x8d3, 0x8e1],
  [0x8e3, 0x8ff],
  [0x93c, 0x93c],
  [0x951, 0x954],
  [0x9bc, 0x9bc],
  [0xa3c, 0xa3c],
  [0xabc, 0xabc],
  [0xb3c, 0xb3c],
  [0xcbc, 0xcbc],
  [0x1ab0, 0x1aff],
  [0x1cd0, 0x1ce8],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0x2de0, 0x2dff],
  [0xa66f, 0xa672],
  [0xa674, 0xa67d],
  [0xfe20, 0xfe2f],
];

/** Punctuation, symbols and control characters, without letters and emoji. */
export const separators: Range[] = [
  [0x1, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0xbf],
  [0xf7, 0xf7],
  [0x2b0, 0x2ff],
  [0x2000, 0x206f],
  [0x20a0, 0x20cf],
  [0x2190, 0x2bff],
  [0x2e00, 0x2e7f],
  [0x3000, 0x303f],
];

/** Characters that look like a space. */
export const blanks = '\u2800\u3164\uffa0';

/** Letters that searches treat as other letters. */
export const replacements: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  '×': 'x',
};

/** The decimals of a fraction after a number, so that `12½` is 12.5. */
export const fractions: Record<string, string> = {
  '½': '5',
  '⅓': '333',
  '⅔': '667',
  '¼': '25',
  '¾': '75',
  '⅕': '2',
  '⅖': '4',
  '⅗': '6',
  '⅘': '8',
  '⅙': '167',
  '⅚': '833',
  '⅛': '125',
  '⅜': '375',
  '⅝': '625',
  '⅞': '875',
  '⅐': '143',
  '⅑': '111',
  '⅒': '1',
};

/** Characters between the parts of a compound, which is also indexed as one word: hyphens, apostrophes and the underscore. */
export const joiners = `-\u2010'\u2019_`;

/** Placeholder for a decimal point while other punctuation is removed. */
export const point = '\ue000';

/** Numbers in a sort key are padded with zeros to this many digits. */
export const sortedDigits = 15;

const toClass = (ranges: readonly Range[]): string =>
  ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('');

const separator = `\\0${toClass(separators)}`;
const patterns = {
  blanks: new RegExp(`[${blanks}]`, 'g'),
  invisible: new RegExp(`[${toClass(invisible)}]+`, 'gu'),
  marks: new RegExp(`[${toClass(marks)}]+`, 'gu'),
  separators: new RegExp(`[${separator}]+`, 'gu'),
  replacements: new RegExp(`[${Object.keys(replacements).join('')}]`, 'g'),
  fractions: new RegExp(`(?<=[0-9])[ \\u00a0]?([${Object.keys(fractions).join('')}])`, 'g'),
  // The lookbehind keeps the time linear: a long word is not matched again from each of its letters.
  compounds: new RegExp(`(?<![^${separator}])[^${separator}]+(?:[${joiners}][^${separator}]+)+`, 'gu'),
  joiners: new RegExp(`[${joiners}]`, 'g'),
};

/** A text in lower case, without invisible characters. */
const foldText = (text: string): string =>
  text
    .replace(patterns.blanks, ' ')
    .normalize('NFKD')
    .replace(patterns.invisible, '')
    .toLowerCase()
    .replaceAll('ς', 'σ');

/** A text in lower case, without accents, and with `point` for each decimal point. */
const plainText = (text: string): string =>
  foldText(text.replace(patterns.fractions, (_, fraction) => `.${fractions[fraction]}`))
    .replace(patterns.marks, '')
    .replace(patterns.replacements, (letter) => replacements[letter] ?? letter)
    .replace(/(?<=[0-9])[.,](?=[0-9])/g, point);

function splitPlain(plain: string): string {
  const words = plain
    .replace(patterns.separators, ' ')
    .replaceAll(point, '.')
    .replace(/(?<![^ ])([0-9.]+)([a-z]{1,3})(?![^ ])/g, '$1 $2');
  return ` ${words} `.replace(/ +/g, ' ');
}

/**
 * The words of a text in lower case and without accents, with a space before and after each. `3,5mm` becomes ` 3.5 mm `.
 * Text without words becomes a single space.
 */
export const toSearchText = (text: string): string => splitPlain(plainText(text));

/** The words by which searches find a text, and each compound as one word, too. `Let-down` becomes ` let down letdown `. */
export function toIndexText(text: string): string {
  const plain = plainText(text);
  const compounds = (plain.match(patterns.compounds) ?? [])
    .map((compound) => compound.replace(patterns.joiners, '').replaceAll(point, '.'))
    .filter((word) => /[^0-9.]/.test(word));
  return [splitPlain(plain), ...compounds.map((word) => `${word} `)].join('');
}

/** The decimal digits of other scripts, in runs of ten: Arabic, Persian, Devanagari, Bengali and full-width. */
export const otherDigits = [0x660, 0x6f0, 0x966, 0x9e6, 0xff10]
  .flatMap((zero) => Array.from({ length: 10 }, (_, digit) => String.fromCodePoint(zero + digit)))
  .join('');

/** Shorter numbers are likely to be something else, such as a house number. */
export const minPhoneDigits = 5;

/**
 * The digits of a phone number in reverse order, after a `+`. Searches match the end of a number, because its start depends on
 * where it is called from. No other word has a `+`. Empty for a text with fewer than five digits.
 */
export function toPhoneKey(phone: string): string {
  const digits = [...phone]
    .map((character) => {
      const at = otherDigits.indexOf(character);
      return at < 0 ? character : `${at % 10}`;
    })
    .filter((character) => character >= '0' && character <= '9');
  return digits.length < minPhoneDigits ? '' : `+${digits.reverse().join('')}`;
}

/** The key that sorts names as in a dictionary. Numbers are padded with zeros, so that 9 comes before 10. */
export const toNameKey = (name: string): string =>
  toSearchText(name)
    .trim()
    .replace(/(?<![0-9.])[0-9]+/g, (digits) => digits.replace(/^0+(?=.)/, '').padStart(sortedDigits, '0'));

/** The key of a category. Categories that look the same have the same key. */
export const toCategoryKey = (category: string): string =>
  foldText(category)
    .replace(/[\t-\r \u1680\u2028\u2029]+/g, ' ')
    .trim();
/** The maximum number of indexed characters per word. */
const maxWordLength = 40;

/** The distinct words of a search text. */
export const listSearchWords = (searchText: string): string[] => [
  ...new Set(
    searchText
      .split(' ')
      .filter(Boolean)
      .map((word) => [...word].slice(0, maxWordLength).join('')),
  ),
];

const hasDigit = /[0-9]/;

/** The suffixes of a word that are at least two letters long, without the word itself. A word with digits has none. */
export function listSuffixes(word: string): string[] {
  const letters = [...word];
  return hasDigit.test(word) ? [] : letters.slice(1, -1).map((_, index) => letters.slice(index + 1).join(''));
}

/**
 * The forms of a word with one letter left out. Two words that share such a form differ by one typo. A word with digits has no such
 * forms.
 */
export function listDeletions(word: string): string[] {
  const letters = [...word];
  if (letters.length < 3 || hasDigit.test(word)) return [];
  return [...new Set(letters.map((_, index) => letters.toSpliced(index, 1).join('')))];
}
