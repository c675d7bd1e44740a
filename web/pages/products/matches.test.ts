import { describe, expect, test } from 'vitest';
import { excerptMatch, findMatches, splitWords } from './matches.ts';

/** The text with its matches in brackets. */
const mark = (text: string, q: string) =>
  findMatches(text, splitWords(q))
    .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join('');

describe('findMatches', () => {
  test.each([
    ['Mainspring winder', 'winder', 'Mainspring [winder]'],
    ['Mainspring winder', 'SPRING', 'Main[spring] winder'],
    ['Mainspring winder', 'wind main', '[Main]spring [wind]er'],
    ['Mainspring winder', 'mainspring spring', '[Mainspring] winder'],
    ['Théo’s écrou', 'theo ECROU', '[Théo]’s [écrou]'],
    ['Theo', 'théo', '[Theo]'],
    // Decomposed: the accent is a character of its own, and belongs to the match.
    ['The\u0301o', 'theo', '[The\u0301o]'],
    ['Loupe, 4×', '4×', 'Loupe, [4×]'],
    ['3, 3.5 and 13 mm', '3 mm', '[3], [3].5 and 13 [mm]'],
    ['ﬁle and file', 'file', '[ﬁle] and [file]'],
    ['İstanbul', 'istanbul', '[İstanbul]'],
    ['𝒲inder 🕰️', 'winder', '[𝒲inder] 🕰️'],
    ['<b>&amp;</b>', 'b> &amp', '<[b>&amp];</[b>]'],
    ['.* (a) [b', '.*', '[.*] (a) [b'],
    ['Pegwood', 'winder', 'Pegwood'],
    ['Pegwood', '', 'Pegwood'],
    ['Pegwood', '\u0301', 'Pegwood'],
    ['', 'winder', ''],
  ])('in %j, highlights the search %j', (text, q, marked) => {
    expect(mark(text, q)).toBe(marked);
  });
});

describe('excerptMatch', () => {
  const text =
    'Winds a clock mainspring out of its barrel and back in. Steel bed 200 mm long with a ratchet.';

  test('is the beginning of the text if that contains the first match, or if nothing matches', () => {
    for (const words of [['clock'], ['winds'], ['pegwood'], []])
      expect(excerptMatch(text, words, 40)).toBe('Winds a clock mainspring out of its barr…');
    expect(excerptMatch('Short', ['pegwood'], 40)).toBe('Short');
  });

  test('otherwise starts at a word shortly before the first match', () => {
    expect(excerptMatch(text, ['ratchet'], 40)).toBe('…long with a ratchet.');
    expect(excerptMatch(text, ['200'], 40)).toBe('…Steel bed 200 mm long with a ratchet.');
    expect(excerptMatch(`${'x'.repeat(200)}ratchet`, ['ratchet'], 40)).toBe('…ratchet');
  });
});
