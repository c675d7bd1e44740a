import { ellipse, points, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, line, plate, shape } from './pen.ts';
import { castShadow } from './shading.ts';
import { rod, turned } from './turned.ts';

const THICK = 4.1;
const stick = [rod(216, THICK, THICK, { surface: 'wooden' }), rod(30, THICK, 0.8)];

/** Ten to a bundle: a row behind and a row in front, spread a little above the thread. */
function bundle(x: number): string {
  const row = (count: number, foot: number) =>
    Array.from({ length: count }, (_, index) => {
      const off = index - (count - 1) / 2;
      return turned([x + off * 9.4, foot], off * 4.4 - 90, 0.2, stick);
    }).join('');
  return row(4, BENCH - 16) + row(6, BENCH - 1);
}

export function drawPegwood(): string {
  const bow = smooth(points('134 206, 154 182, 182 184, 174 200, 136 207, 112 182, 86 188, 96 204, 133 207'));
  return plate(
    castShadow(108, 166),
    bundle(134),
    // Waxed thread, three turns and a bow.
    ...[0, 5, 10].map((drop) =>
      line(smooth(points(`95 ${202 + drop}, 134 ${207 + drop}, 173 ${202 + drop}`)), 2),
    ),
    line(bow, 2),
    line(smooth(points('134 208, 146 228, 150 246')), 2),
    line(smooth(points('133 208, 122 226, 124 242')), 2),
    // One lies beside the bundle, its point cut anew.
    castShadow(218, 440),
    turned([206, BENCH - 5], 0, 0, stick),
    shape(ellipse([206, BENCH - 5], 1.4, THICK)),
    dimension([206, 322], [452, 322], '150'),
  );
}
