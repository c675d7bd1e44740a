import { arc, ellipse } from './curves.ts';
import { dimension, letters } from './lettering.ts';
import { BENCH, FINE, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const TILT = 0.34;

export function drawEyeglassLoupe(): string {
  const lens: Point = [218, BENCH - 163.3];
  return plate(
    castShadow(130, 310),
    turned([218, BENCH - 92 * TILT], -90, TILT, [
      collar(18, 92),
      bulge(92, [90, 84, 70, 60, 55]),
      collar(14, 60, { brass: true, surface: 'fluted' }),
      rod(8, 50),
    ]),
    shape(ellipse(lens, 42, 42 * TILT)),
    hatch(ellipse(lens, 36, 36 * TILT), { angle: -40, gap: 7, reach: 0.5 }),
    line(arc(lens, 34, 34 * TILT, 180, 262), FINE),
    letters('4 ×', [176, 204], 17, 0, 2),
    dimension([76, BENCH - 31], [76, 125], '26'),
    dimension([126, 334], [310, 334], 'ø 34'),
  );
}
