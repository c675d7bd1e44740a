import { move } from './curves.ts';
import { FINE, HAIR, INK, line, type Point, shape, stamp } from './pen.ts';

/** Letters as strokes, ten units high, so that the drawings do not depend on installed fonts. */
const GLYPHS: Readonly<Record<string, readonly [width: number, data: string]>> = {
  '0': [6, 'M3 0C1 0 0 2 0 5S1 10 3 10 6 8 6 5 5 0 3 0Z'],
  '1': [3, 'M0 2L2.4 0V10'],
  '2': [6, 'M0 2.6C0 1 1.3 0 3 0S6 1 6 2.8C6 5.2 1 7.2 0 10H6'],
  '3': [
    6,
    'M.3 1.6C.8.6 1.8 0 3 0 4.7 0 5.7 1.1 5.7 2.5S4.5 4.7 3 4.7C4.9 4.7 6 5.8 6 7.3S4.8 10 3 10C1.6 10 .5 9.4 0 8.3',
  ],
  '4': [6, 'M4.5 10V0L0 7H6'],
  '5': [6, 'M5.5 0H1L.5 4.6C1 4 2 3.6 3 3.6 4.8 3.6 6 4.9 6 6.8S4.7 10 3 10C1.5 10 .5 9.3 0 8.2'],
  '6': [6, 'M5 .2C2.5.6 0 3 0 6.6 0 8.7 1.2 10 3 10S6 8.7 6 6.8 4.8 3.8 3 3.8 0 5 0 6.8'],
  '7': [6, 'M0 0H6C4 3 2.6 6.5 2.4 10'],
  '8': [
    6,
    'M3 4.6C1.4 4.6.5 3.6.5 2.3S1.5 0 3 0 5.5 1 5.5 2.3 4.6 4.6 3 4.6C1.2 4.6 0 5.7 0 7.3S1.2 10 3 10 6 8.9 6 7.3 4.8 4.6 3 4.6Z',
  ],
  '9': [6, 'M1 9.8C3.5 9.4 6 7 6 3.4 6 1.3 4.8 0 3 0S0 1.3 0 3.2 1.2 6.2 3 6.2 6 5 6 3.2'],
  m: [
    8,
    'M0 10V4.2M0 6.4C.5 5 1.3 4.1 2.4 4.1 3.5 4.1 4 4.9 4 6.2V10M4 6.4C4.5 5 5.3 4.1 6.4 4.1 7.5 4.1 8 4.9 8 6.2V10',
  ],
  '.': [0.6, 'M.3 9.8V10'],
  '–': [5, 'M0 5.6H5'],
  '×': [4.6, 'M0 4.2L4.6 8.8M4.6 4.2L0 8.8'],
  ø: [7, 'M3.5 1C1.5 1 0 2.8 0 5.2S1.5 9.4 3.5 9.4 7 7.6 7 5.2 5.5 1 3.5 1ZM.6 10.2L6.4.2'],
  I: [0, 'M0 0V10'],
  V: [6.4, 'M0 0L3.2 10 6.4 0'],
  A: [7, 'M0 10L3.5 0 7 10M1.2 6.7H5.8'],
  ' ': [2.4, ''],
};

const SPACING = 2.3;
const glyph = (letter: string) => GLYPHS[letter] ?? [0, ''];
const widthOf = (text: string) =>
  [...text].reduce((sum, letter) => sum + glyph(letter)[0] + SPACING, -SPACING);

/** Letters centred on a point; `height` is that of a figure, `degrees` the direction of reading. */
export function letters(text: string, at: Point, height = 13, degrees = 0, width = FINE): string {
  const scale = height / 10;
  let x = (-widthOf(text) * scale) / 2;
  return [...text]
    .map((letter) => {
      const [advance, data] = glyph(letter);
      const [corner = at] = move([[x, -height / 2]], at, degrees);
      x += (advance + SPACING) * scale;
      return data && stamp(data, corner, degrees, scale, width);
    })
    .join('');
}

/**
 * A dimension line with its measurement in millimetres in a gap. Pass horizontal lines from left to right and vertical
 * ones from bottom to top, so that the text has the usual orientation.
 */
export function dimension([x1, y1]: Point, [x2, y2]: Point, measure: string): string {
  const text = `${measure} mm`;
  const length = Math.hypot(x2 - x1, y2 - y1);
  const degrees = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const gap = (widthOf(text) * 1.3) / 2 + 7;
  const put = (...points: Point[]) => move(points, [x1, y1], degrees);
  const arrow = (tip: number, tail: number) => shape(put([tip, 0], [tail, 2.4], [tail, -2.4]), INK, 0);
  return [
    line(put([0, 0], [length / 2 - gap, 0]), HAIR),
    line(put([length / 2 + gap, 0], [length, 0]), HAIR),
    line(put([0, -6], [0, 6]), HAIR),
    line(put([length, -6], [length, 6]), HAIR),
    arrow(0, 10),
    arrow(length, length - 10),
    ...put([length / 2, 0]).map((middle) => letters(text, middle, 13, degrees)),
  ].join('');
}
