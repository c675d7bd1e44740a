import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import subsetFont from 'subset-font';

const source = '@fontsource-variable/newsreader/files/newsreader-latin-opsz-normal.woff2';

/** What headings are written with, and most names. */
const common = [...range(0x20, 0x7e), '\u00a0°·½×–—‘’“”…′', 'ßàáâäçèéêëíîïñóôöúûü'].join('');
/** The rest of Western Europe's letters, and the rarer signs: fetched where there is one. */
const rare = [...range(0xa1, 0xff), '‚„•″−≤≥ŒœŠšŽž№¼¾→←€'].filter((sign) => !common.includes(sign)).join('');

/**
 * The headings' face: Newsreader (OFL), drawn for large sizes, in one weight and as two files, since the first
 * picture of a phone waits for the first of them: with all its weights, letters and features it is thrice as large.
 */
export async function subsetHeadingFont(): Promise<{ common: Uint8Array; rare: Uint8Array }> {
  const font = readFileSync(createRequire(import.meta.url).resolve(source));
  const cut = (characters: string) =>
    subsetFont(font, characters, {
      targetFormat: 'woff2',
      keepFeatures: ['ccmp', 'kern', 'liga', 'lnum', 'locl', 'mark', 'tnum'],
      variationAxes: { wght: 480, opsz: 36 },
    });
  return { common: await cut(common), rare: await cut(rare) };
}

/** The serifs of the systems, and how much of their width Newsreader takes for the same English text. */
const standIns: [name: string, fonts: string[], size: number][] = [
  ['Newsreader by Georgia', ['Georgia'], 0.951],
  ['Newsreader by Times', ['Times New Roman', 'Liberation Serif', 'Tinos'], 1.06],
  ['Newsreader by DejaVu', ['DejaVu Serif'], 0.834],
];
const [ascent, descent] = [0.735, 0.265];

/**
 * The style sheet's rules of that face, and of those that stand in until it arrives: they take the same room, so
 * that nothing moves.
 */
export function faceRules(addresses: { common: string; rare: string }): string {
  const share = (part: number) => `${(part * 100).toFixed(1)}%`;
  const standIn = ([name, fonts, size]: (typeof standIns)[number]) =>
    `@font-face{font-family:"${name}";src:${fonts.map((font) => `local("${font}")`).join(',')};size-adjust:${share(size)};` +
    `ascent-override:${share(ascent / size)};descent-override:${share(descent / size)};line-gap-override:0%}`;
  const face = (address: string, characters: string) =>
    `@font-face{font-family:Newsreader;src:url(${address}) format("woff2");font-weight:400 600;font-display:swap;` +
    `unicode-range:${characters}}`;
  // Where both have a sign, the later one counts.
  return [
    face(addresses.rare, 'U+A1-22FF'),
    face(
      addresses.common,
      [...new Set(common)]
        .filter((sign) => sign > '~')
        .map(codeOf)
        .reduce((a, b) => `${a},${b}`, 'U+20-7E'),
    ),
    ...standIns.map(standIn),
  ].join('');
}

const codeOf = (sign: string): string => `U+${sign.charCodeAt(0).toString(16).toUpperCase()}`;

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}
