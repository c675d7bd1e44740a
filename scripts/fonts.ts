import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import subsetFont from 'subset-font';

const source = '@fontsource-variable/newsreader/files/newsreader-latin-opsz-normal.woff2';

/** Latin as it is written in Western Europe, and the signs of a catalogue. */
const characters = [...range(0x20, 0x7e), ...range(0xa0, 0xff), ...'–—‘’“”‚„…•′″×−≤≥ŒœŠšŽž№½¼¾→←€'].join('');

/** The headings' face: Newsreader (OFL), cut down to our characters and weights, drawn for large sizes. */
export function headingFace(): Promise<Uint8Array> {
  const font = readFileSync(createRequire(import.meta.url).resolve(source));
  return subsetFont(font, characters, {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 600 }, opsz: 36 },
  });
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
export function faceRules(address: string): string {
  const share = (part: number) => `${(part * 100).toFixed(1)}%`;
  const standIn = ([name, fonts, size]: (typeof standIns)[number]) =>
    `@font-face{font-family:"${name}";src:${fonts.map((font) => `local("${font}")`).join(',')};size-adjust:${share(size)};` +
    `ascent-override:${share(ascent / size)};descent-override:${share(descent / size)};line-gap-override:0%}`;
  return (
    `@font-face{font-family:Newsreader;src:url(${address}) format("woff2");font-weight:400 600;font-display:swap}` +
    standIns.map(standIn).join('')
  );
}

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}
