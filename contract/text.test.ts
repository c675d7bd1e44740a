import { expect, test } from 'vitest';
import { cleanText, removeInvisible } from './text.ts';

test.each([
  ['let\u00addown', 'letdown'],
  ['\u200bK7QD\u200b-\u20602M4X\ufeff', 'K7QD-2M4X'],
  ['\u202aRZ123\u202c', 'RZ123'],
  ['\u2066Ada\u2069 \u200eL\u200f', 'Ada L'],
  ['A\u034fd\u17b4a\u{e0001}\ufff9', 'Ada'],
  ['\u3164', ''],
  ['\u2800\uffa0\u115f\u1160\u{1d159}', ''],
  ['Oil\u3164can', 'Oil can'],
  ['a\u200db\u200cc', 'abc'],
  ['9\ufe0f mm', '9 mm'],
  ['\u{1f3f4}\u{e0067}', '\u{1f3f4}'],
])('%j is stored as %j', (typed, stored) => {
  expect(cleanText(typed)).toBe(stored);
  expect(removeInvisible(typed)).toBe(stored);
});

test.each([
  ['a family and a heart', '👩‍👩‍👧 ❤️ 👩🏽‍🔧 1️⃣'],
  ['the flag of Wales', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
  ['Persian', 'می‌خواهم'],
  ['Sinhala', 'ශ්‍රී'],
  ['Malayalam', 'ന്‍റെ'],
  ['a Japanese name with a variant', '葛\u{e0100}城'],
  ['accents, niqqud and harakat', 'Ä e\u0301 שָׁלוֹם مُحَمَّد'],
])('invisible characters of %s are stored but ignored in comparisons', (_, text) => {
  expect(cleanText(text)).toBe(text);
  expect(cleanText(`\u200b${text}\u200d`)).toBe(text);
  expect(removeInvisible(text)).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
});

test('cleaning takes time proportional to the length', () => {
  for (const part of ['\u{1f3f4}', '\u{e0067}', '\u200d', '\u200c', '❤\ufe0f', '\u3164', 'م\u200c'])
    expect(cleanText(part.repeat(100_000)).length).toBeLessThanOrEqual(part.length * 100_000);
});
