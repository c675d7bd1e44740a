import { dimension } from './lettering.ts';
import { BENCH, FINE, line, plate } from './pen.ts';
import { castShadow } from './shading.ts';
import { collar, rod, turned } from './turned.ts';

const TILT = 0.26;

/** A pin vise, jaws upwards: hollow knurled body, closing nut, split jaws. */
function pinVise(x: number, r: number, length: number): string {
  const foot = BENCH - TILT * r;
  const jaws = foot - length - TILT * 2;
  return (
    castShadow(x - r, x + r) +
    turned([x, foot], -90, TILT, [
      collar(length * 0.06, r * 0.9, { brass: true }),
      collar(length * 0.5, r, { surface: 'knurled' }),
      rod(length * 0.06, r * 0.72),
      collar(length * 0.2, r * 0.94, { surface: 'fluted' }),
      rod(length * 0.1, r * 0.8, r * 0.5),
      rod(length * 0.08, r * 0.44, r * 0.34),
    ]) +
    line(
      [
        [x, jaws - 1],
        [x, jaws + length * 0.08],
      ],
      FINE,
    )
  );
}

export function drawPinViseSet(): string {
  return plate(
    pinVise(138, 17.5, 226),
    pinVise(214, 14.6, 206),
    pinVise(284, 12, 184),
    pinVise(348, 9.6, 162),
    dimension([86, BENCH], [86, BENCH - 226], '95'),
  );
}
