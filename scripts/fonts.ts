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

function range(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}
