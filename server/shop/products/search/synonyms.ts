import type { Db } from '../../../database/schema.ts';
import { listSearchWords, toSearchText } from '../../../database/search-text.ts';
import { readTerms, type Synonym, type Term } from './terms.ts';

const maxPerWord = 5;
/** A search for many words must not cost much more because all of them have synonyms. */
const maxAnchors = 10;

/**
 * Adds the synonyms in `lines` to the terms. A line is, for example, `magnifier = loupe, eyeglass`. Synonyms that the catalogue
 * does not contain are left out.
 */
export async function addSynonyms(db: Db, terms: Term[], lines: string): Promise<Term[]> {
  const entered = lines === '' ? new Map<string, Synonym[]>() : parseSynonyms(lines);
  const anchors = terms.flatMap(({ word }) => (entered.get(word) ?? []).map(({ anchor }) => anchor));
  if (anchors.length === 0) return terms;
  const found = await readTerms(db, [...new Set(anchors)].slice(0, maxAnchors), { inside: false });
  const counts = new Map(found.map(({ word, entries }) => [word, entries]));
  return terms.map((term) => {
    const synonyms = (entered.get(term.word) ?? []).filter(({ anchor }) => counts.get(anchor));
    if (synonyms.length === 0) return term;
    const entries = synonyms.reduce((sum, { anchor }) => sum + (counts.get(anchor) ?? 0), term.entries);
    // A word with synonyms is not corrected.
    return { ...term, synonyms, entries, isWhole: true };
  });
}

function parseSynonyms(lines: string): Map<string, Synonym[]> {
  const synonyms = new Map<string, Synonym[]>();
  for (const line of lines.split('\n')) {
    const [left = '', right = ''] = line.split('=');
    const [word] = listSearchWords(toSearchText(left));
    if (word === undefined) continue;
    const list = synonyms.getOrInsert(word, []);
    for (const text of right.split(',')) {
      const words = listSearchWords(toSearchText(text));
      const [anchor] = words.toSorted((a, b) => b.length - a.length);
      if (anchor !== undefined && list.length < maxPerWord) list.push({ text: words.join(' '), anchor });
    }
  }
  return synonyms;
}
