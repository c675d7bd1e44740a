/* Normalizes and splits text for the product search. On PostgreSQL, the functions in `migrations/search.ts` do the same. */

const replacements: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i', ς: 'σ', '×': 'x' },
};

/** Punctuation, symbols and control characters, without letters and emoji. */
const separators =
  /[\0-/:-@[-`{-\u00bf\u00f7\u02b0-\u02ff\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u303f]+/g;

/** Placeholder for a decimal point while other punctuation is removed. */
const point = '\ue000';

/**
 * The words of a text in lower case and without accents, with a space before and after each. `3,5mm` becomes ` 3.5 mm `.
 * Text without words becomes a single space.
 */
export function toSearchText(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßæœþøłđðıς×]/g, (letter) => replacements[letter] ?? letter)
    .replace(/(?<=[0-9])[.,](?=[0-9])/g, point)
    .replace(separators, ' ')
    .replaceAll(point, '.')
    .replace(/(?<![^ ])([0-9.]+)([a-z]{1,3})(?![^ ])/g, '$1 $2');
  return ` ${words} `.replace(/ +/g, ' ');
}

/** Indexed characters per word. */
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

/** The suffixes of a word that are at least two letters long, without the word itself. None for a word with digits. */
export function listSuffixes(word: string): string[] {
  const letters = [...word];
  return hasDigit.test(word) ? [] : letters.slice(1, -1).map((_, at) => letters.slice(at + 1).join(''));
}

/** The forms of a word with one letter left out: two words that share one differ by a typo. None for a word with digits. */
export function listDeletions(word: string): string[] {
  const letters = [...word];
  if (letters.length < 3 || hasDigit.test(word)) return [];
  return [...new Set(letters.map((_, at) => letters.toSpliced(at, 1).join('')))];
}
