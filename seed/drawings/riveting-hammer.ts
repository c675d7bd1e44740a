import { move, points, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BRASS, FINE, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const HEAD: Point = [118, 97];
const SLANT = 31;

export function drawRivetingHammer(): string {
  const put = (outline: readonly Point[]) => move(outline, HEAD, SLANT - 90);
  const peen = put(points('-26 -14, -36 -13, -68 -4, -71 0, -68 4, -36 13, -26 14'));
  const eye = put(
    smooth(points('-26 -16, -14 -14, 0 -14, 14 -16, 24 -15, 24 15, 14 16, 0 14, -14 14, -26 16'), true),
  );
  return plate(
    castShadow(330, 420),
    turned(HEAD, SLANT, 0, [
      rod(14, 8),
      bulge(336, [8, 7, 6, 6.4, 8, 11, 14, 15, 14, 12, 11], { surface: 'wooden' }),
      bulge(10, [11, 10, 5]),
    ]),
    shape(peen, BRASS) + hatch(peen, { angle: SLANT, gap: 3.6, reach: 0.6 }),
    turned(put([[20, 0]])[0] ?? HEAD, SLANT - 90, 0, [
      rod(12, 11, 11, { brass: true }),
      collar(28, 16, { brass: true }),
    ]),
    shape(eye, BRASS) + hatch(eye, { angle: SLANT, gap: 4.4, reach: 0.5 }),
    turned(move([[-24, 0]], HEAD, SLANT)[0] ?? HEAD, SLANT, 0, [rod(8, 7, 8, { surface: 'wooden' })]),
    line(put(points('-26 -11, -26 11')), FINE),
    dimension([160, 77], [452, 252], '200'),
  );
}
