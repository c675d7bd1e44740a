import { ellipse, points, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, line, plate, shape } from './pen.ts';
import { castShadow } from './shading.ts';
import { rod, turned } from './turned.ts';

const THICK = 4.1;
const stick = [rod(216, THICK, THICK, { surface: 'wooden' }), rod(30, THICK, 0.8)];

/** A bundle of ten, every other one behind, spread slightly above the thread. */
function bundle(x: number): string {
  const slots = Array.from({ length: 10 }, (_, index) => index - 4.5);
  const place = (off: number, foot: number) => turned([x + off * 7, foot], off * 1.9 - 90, 0.2, stick);
  return [
    ...slots.filter((_, index) => index % 2 === 1).map((off) => place(off, BENCH - 12)),
    ...slots.filter((_, index) => index % 2 === 0).map((off) => place(off, BENCH - 1)),
  ].join('');
}

export function drawPegwood(): string {
  return plate(
    castShadow(100, 166),
    bundle(134),
    // Waxed thread, four turns and the ends of its knot.
    ...[0, 5, 10, 15].map((drop) =>
      line(smooth(points(`86 ${194 + drop}, 132 ${200 + drop}, 179 ${193 + drop}`)), 2.2),
    ),
    shape(ellipse([134, 208], 5, 4)),
    line(smooth(points('136 211, 146 226, 148 244')), 2.2),
    line(smooth(points('132 211, 124 224, 126 238')), 2.2),
    // One lies beside the bundle, freshly sharpened.
    castShadow(218, 440),
    turned([206, BENCH - 5], 0, 0, stick),
    shape(ellipse([206, BENCH - 5], 1.4, THICK)),
    dimension([206, 322], [452, 322], '150'),
  );
}
