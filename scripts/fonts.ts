import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import subsetFont from 'subset-font';

const source = '@fontsource-variable/newsreader/files/newsreader-latin-opsz-normal.woff2';

/** The characters of headings and of most names. */
const common = [...range(0x20, 0x7e), '\u00a0°·½×–—‘’“”…′', 'ßàáâäçèéêëíîïñóôöúûü'].join('');
/** The other Western European letters and rare characters, loaded only by pages that contain one. */
const rare = [...range(0xa1, 0xff), '‚„•″−≤≥ŒœŠšŽž№¼¾→←€']
  .filter((character) => !common.includes(character))
  .join('');

/**
 * Subsets the heading font, Newsreader (OFL), to one weight at a large optical size, in two files. Pages wait for the first file
 * before their first paint. With all weights, letters and features, it would be three times as large.
 */
export async function subsetHeadingFont(): Promise<{ common: Uint8Array; rare: Uint8Array }> {
  const font = readFileSync(createRequire(import.meta.url).resolve(source));
  const subset = (characters: string) =>
    subsetFont(font, characters, {
      targetFormat: 'woff2',
      keepFeatures: ['ccmp', 'kern', 'liga', 'lnum', 'locl', 'mark', 'tnum'],
      variationAxes: { wght: 480, opsz: 36 },
    });
  return { common: await subset(common), rare: await subset(rare) };
}

/** System serif fonts, and the ratio of Newsreader's width to theirs for the same English text. */
const fallbacks: [name: string, fonts: string[], size: number][] = [
  ['Newsreader by Georgia', ['Georgia'], 0.951],
  ['Newsreader by Times', ['Times New Roman', 'Liberation Serif', 'Tinos'], 1.06],
  ['Newsreader by DejaVu', ['DejaVu Serif'], 0.834],
];
const [ascent, descent] = [0.735, 0.265];

/** The `@font-face` rules of the heading font and of fallbacks with the same metrics, which prevent layout shifts. */
export function fontFaceRules(urls: { common: string; rare: string }): string {
  const percent = (ratio: number) => `${(ratio * 100).toFixed(1)}%`;
  const fallback = ([name, fonts, size]: (typeof fallbacks)[number]) =>
    `@font-face{font-family:"${name}";src:${fonts.map((font) => `local("${font}")`).join(',')};size-adjust:${percent(size)};` +
    `ascent-override:${percent(ascent / size)};descent-override:${percent(descent / size)};line-gap-override:0%}`;
  const face = (url: string, characters: string) =>
    `@font-face{font-family:Newsreader;src:url(${url}) format("woff2");font-weight:400 600;font-display:swap;` +
    `unicode-range:${characters}}`;
  // If both ranges contain a character, the later rule applies.
  return [
    face(urls.rare, 'U+A1-22FF'),
    face(urls.common, listRanges(common)),
    ...fallbacks.map(fallback),
  ].join('');
}

/** The value of `unicode-range`, as short as possible, because most pages contain it. */
function listRanges(characters: string): string {
  const ranges: [first: number, last: number][] = [];
  for (const code of [...characters].map((character) => character.charCodeAt(0)).sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && code <= range[1] + 1) range[1] = code;
    else ranges.push([code, code]);
  }
  const hex = (code: number) => code.toString(16).toUpperCase();
  return ranges.map(([first, last]) => `U+${hex(first)}${first === last ? '' : `-${hex(last)}`}`).join();
}

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}
