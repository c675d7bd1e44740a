import { circle, mirror, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, BRASS, FINE, HAIR, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const AXIS = 226;

/** One claw, right of the axis: pivoted in the yoke, hooked inwards below the hand. */
const CLAW: readonly Point[] = [
  [AXIS + 50, 132],
  [AXIS + 64, 128],
  [AXIS + 76, 138],
  [AXIS + 80, 170],
  [AXIS + 74, 216],
  [AXIS + 58, 258],
  [AXIS + 40, BENCH - 3],
  [AXIS + 13, BENCH],
  [AXIS + 12, BENCH - 8],
  [AXIS + 32, BENCH - 16],
  [AXIS + 46, 244],
  [AXIS + 56, 206],
  [AXIS + 58, 168],
  [AXIS + 52, 148],
];

export function drawHandPuller(): string {
  const right = smooth(CLAW, true);
  const left = mirror(right, AXIS);
  const yoke = smooth(
    [
      [AXIS - 78, 148],
      [AXIS - 76, 132],
      [AXIS - 40, 118],
      [AXIS, 112],
      [AXIS + 40, 118],
      [AXIS + 76, 132],
      [AXIS + 78, 148],
      [AXIS + 66, 158],
      [AXIS + 34, 152],
      [AXIS, 158],
      [AXIS - 34, 152],
      [AXIS - 66, 158],
    ],
    true,
  );
  const pivots = [AXIS - 65, AXIS + 65].map(
    (x) =>
      shape(circle([x, 143], 7)) +
      line(
        [
          [x - 4, 147],
          [x + 4, 139],
        ],
        FINE,
      ),
  );
  return plate(
    castShadow(AXIS - 60, AXIS + 60),
    shape(left) + hatch(left, { angle: 20, gap: 4.5, reach: 0.6 }),
    shape(right) + hatch(right, { angle: 20, gap: 4.5, reach: 0.8, width: 1.2 }),
    turned([AXIS, 156], 90, 0, [rod(84, 9, 9, { surface: 'threaded' }), rod(16, 6.5), rod(9, 6.5, 1)]),
    shape(yoke, BRASS) + hatch(yoke, { angle: 62, gap: 5, reach: 0.55 }),
    ...pivots,
    turned([AXIS, 114], -90, 0.22, [
      collar(12, 18),
      rod(22, 9, 9, { surface: 'threaded' }),
      bulge(8, [10, 14, 22]),
      collar(24, 27, { surface: 'fluted' }),
      rod(4, 22, 18),
    ]),
    dimension([366, BENCH], [366, 41], '62'),
    line(
      [
        [AXIS + 96, BENCH],
        [376, BENCH],
      ],
      HAIR,
    ),
  );
}
