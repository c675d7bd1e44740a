import { arc, box, circle, ellipse, mirror, points, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, BRASS, FINE, HAIR, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { collar, rod, turned } from './turned.ts';

const AXIS = 224;
const PIVOT = 176;
const STAFF = 62;

/** One limb of the figure eight: lower bow left, crossing at the pivot, upper bow right, tip inwards. */
const RIGHT = points('-3 97, -42 89, -60 64, -55 38, -16 10, 20 -12, 58 -44, 70 -82, 56 -122');
const LEFT = points('42 -114, 54 -82, 44 -54, 8 -26, -30 -2, -68 26, -75 66, -52 100, -3 111');

function balance(): string {
  const centre: Point = [AXIS, STAFF];
  const [rx, ry] = [13, 38];
  return [
    shape(ellipse([AXIS - 5, STAFF], rx, ry), BRASS),
    shape(ellipse(centre, rx, ry), BRASS),
    shape(ellipse(centre, rx * 0.78, ry * 0.84)),
    line(
      [
        [AXIS - 3, STAFF - ry * 0.84],
        [AXIS + 3, STAFF + ry * 0.84],
      ],
      4,
    ),
    ...arc(centre, rx, ry, -80, 280)
      .filter((_, index) => index % 8 === 0)
      .map((at) => shape(circle(at, 2.6), undefined, 1.2)),
  ].join('');
}

export function drawTruingCallipers(): string {
  const limb = [...smooth(RIGHT), ...smooth(LEFT)].map(([x, y]): Point => [AXIS + x, PIVOT + y]);
  const other = mirror(limb, AXIS);
  const tip = (x: number, angle: number) =>
    turned([x, STAFF], angle, 0, [collar(8, 9, { surface: 'fluted' }), rod(30, 5), rod(14, 5, 0.8)]);
  return plate(
    castShadow(AXIS - 50, AXIS + 50),
    shape(other) + hatch(other, { angle: 25, gap: 4, reach: 0.9 }),
    shape(limb) + hatch(limb, { angle: 25, gap: 4, reach: 0.9 }),
    turned([AXIS - 26, STAFF], 0, 0, [rod(52, 1.8)]),
    balance(),
    turned([AXIS + 1, STAFF], 0, 0.3, [rod(6, 6), rod(18, 1.8)]),
    tip(AXIS - 82, 0),
    tip(AXIS + 82, 180),
    shape(box(AXIS - 64, STAFF - 12, 20, 24)) + shape(box(AXIS + 44, STAFF - 12, 20, 24)),
    hatch(box(AXIS - 64, STAFF - 12, 20, 24), { angle: 90, gap: 4, reach: 0.6 }),
    hatch(box(AXIS + 44, STAFF - 12, 20, 24), { angle: 90, gap: 4, reach: 0.6 }),
    shape(circle([AXIS, PIVOT - 6], 11)) +
      line(
        [
          [AXIS - 7, PIVOT],
          [AXIS + 7, PIVOT - 12],
        ],
        FINE * 1.4,
      ),
    dimension([366, BENCH], [366, STAFF - 12], '90'),
    line(
      [
        [AXIS + 20, BENCH],
        [376, BENCH],
      ],
      HAIR,
    ),
  );
}
