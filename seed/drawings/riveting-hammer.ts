import { move, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BRASS, FINE, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const HEAD: Point = [128, 92];
const SLANT = 31;

export function drawRivetingHammer(): string {
  const put = (points: readonly Point[]) => move(points, HEAD, SLANT - 90);
  const peen = put([
    [-30, -15],
    [-44, -15],
    [-86, -4],
    [-90, 0],
    [-86, 4],
    [-44, 15],
    [-30, 15],
  ]);
  const eye = put(
    smooth(
      [
        [-30, -18],
        [-16, -15],
        [0, -15],
        [16, -18],
        [30, -17],
        [30, 17],
        [16, 18],
        [0, 15],
        [-16, 15],
        [-30, 18],
      ],
      true,
    ),
  );
  return plate(
    castShadow(300, 420),
    turned(HEAD, SLANT, 0, [
      rod(18, 8),
      bulge(336, [8, 7, 6, 6.4, 8, 11, 14, 15, 14, 12, 11], { surface: 'wooden' }),
      bulge(10, [11, 10, 5]),
    ]),
    shape(peen, BRASS) + hatch(peen, { angle: SLANT, gap: 3.6, reach: 0.6 }),
    turned(put([[26, 0]])[0] ?? HEAD, SLANT - 90, 0, [
      rod(14, 13, 13, { brass: true }),
      collar(34, 19, { brass: true }),
    ]),
    shape(eye, BRASS) + hatch(eye, { angle: SLANT, gap: 4.4, reach: 0.5 }),
    turned(move([[-24, 0]], HEAD, SLANT)[0] ?? HEAD, SLANT, 0, [rod(8, 7, 8, { surface: 'wooden' })]),
    line(
      put([
        [-30, -12],
        [-30, 12],
      ]),
      FINE,
    ),
    dimension([172, 70], [462, 245], '230'),
  );
}
