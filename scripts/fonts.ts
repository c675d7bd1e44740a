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

/**
 * The style sheet's rules of that face, and of the one that stands in until it arrives: it takes the same room, so
 * that nothing moves. Its numbers are Newsreader's own metrics divided by the width of the system's serif.
 */
export function faceRules(address: string): string {
  return (
    `@font-face{font-family:Newsreader;src:url(${address}) format("woff2");font-weight:400 600;font-display:swap}` +
    '@font-face{font-family:"Newsreader Fallback";src:local("Georgia"),local("Times New Roman"),local("DejaVu Serif");' +
    'size-adjust:97%;ascent-override:75.8%;descent-override:27.3%;line-gap-override:0%}'
  );
}

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}
