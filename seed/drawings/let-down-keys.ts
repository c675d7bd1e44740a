import { move } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, INK, type Point, plate, shape } from './pen.ts';
import { castShadow } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const TILT = 0.3;

/** One key, its square hole in the top face: it goes over the winding square of the movement. */
function key(x: number, radius: number, height: number, square: number): string {
  const foot = radius * 0.62;
  const hole: Point[] = move(
    [
      [-square, 0],
      [0, -square],
      [square, 0],
      [0, square],
    ],
    [0, 0],
    14,
  );
  return (
    castShadow(x - foot, x + foot) +
    turned([x, BENCH - TILT * foot], -90, TILT, [
      rod(26, foot),
      collar(8, radius + 2.4, { surface: 'fluted' }),
      rod(height - 34, radius, radius, { brass: true }),
    ]) +
    shape(
      hole.map(([px, py]): Point => [x + px, BENCH - TILT * foot - height + py * 0.42]),
      INK,
      1,
    )
  );
}

export function drawLetDownKeys(): string {
  const handle = turned([84, BENCH - 5], -90, TILT, [
    bulge(150, [15, 24, 28, 27, 23, 19, 17, 20, 22], { surface: 'wooden' }),
    collar(16, 19, { brass: true }),
    rod(12, 13),
    collar(34, 17, { surface: 'knurled' }),
    rod(4, 12, 9),
  ]);
  const keys = [17, 15, 13.4, 11.8, 10.4, 9, 7.8].map((radius, index) =>
    key([168, 217, 262, 303, 340, 374, 405][index] ?? 0, radius, 128 - index * 9, radius * 0.46),
  );
  return plate(castShadow(66, 104), handle, ...keys, dimension([34, BENCH], [34, 76], '130'));
}
