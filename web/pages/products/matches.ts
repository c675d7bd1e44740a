import { truncate } from '../../components/catalogue/excerpt.ts';

type Part = { text: string; isMatch: boolean };

/** The words of a search text. */
export const splitWords = (q: string): string[] => q.split(/[\s,;]+/).filter(Boolean);

/**
 * Splits a text where it contains the words, regardless of case and accents. Words of one or two characters match only the
 * start of a word. The parts, joined, are the text.
 */
export function findMatches(text: string, words: readonly string[]): Part[] {
  const { folded, starts } = fold(text);
  const isMatched = new Uint8Array(text.length);
  for (const word of new Set(words.map((one) => fold(one).folded)))
    for (let index = word ? folded.indexOf(word) : -1; index >= 0; index = folded.indexOf(word, index + 1))
      if (word.length > 2 || !/[\p{L}\p{N}]/u.test(folded.charAt(index - 1)))
        isMatched.fill(1, starts[index], starts[index + word.length]);

  const parts: Part[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + 1;
    while (to < text.length && isMatched[to] === isMatched[from]) to++;
    parts.push({ text: text.slice(from, to), isMatch: isMatched[from] === 1 });
    from = to;
  }
  return parts;
}

/** At most `length` characters of a text, from its beginning or, if the first match is further on, from shortly before it. */
export function excerptMatch(text: string, words: readonly string[], length: number): string {
  const parts = findMatches(text, words);
  const [start = '', match = ''] = parts[0]?.isMatch ? ['', parts[0].text] : parts.map((part) => part.text);
  if (start.length + match.length <= length || !parts.some(({ isMatch }) => isMatch))
    return truncate(text, length);
  const from = start.indexOf(' ', start.length - length / 3);
  return `…${truncate(text.slice(from < 0 ? start.length : from + 1), length)}`;
}

/** Accents and other marks, the Arabic tatweel, and invisible characters. */
const ignored = /[\p{M}\u0640\p{Default_Ignorable_Code_Point}]/gu;

/** The text in lower case without accents; `starts` has, for each of its characters and its end, the index in `text`. */
function fold(text: string): { folded: string; starts: number[] } {
  const starts: number[] = [];
  let folded = '';
  let at = 0;
  for (const character of text) {
    const plain = character.normalize('NFKD').replace(ignored, '').toLowerCase();
    for (let index = 0; index < plain.length; index++) starts.push(at);
    folded += plain;
    at += character.length;
  }
  starts.push(text.length);
  return { folded, starts };
}
