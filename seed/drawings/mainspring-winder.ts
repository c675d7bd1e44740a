import { box, circle, ellipse, points, smooth, spiral, teeth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, BRASS, FINE, INK, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const AXIS = 132;
const BED = 232;
const TILT = 0.34;

/** An upright of flat bar on the bed: its front and its visible side. */
function post(x: number, top: number, width: number): string {
  const depth = 18;
  const side: Point[] = [
    [x + width, top + 8],
    [x + width + depth, top],
    [x + width + depth, BED - 5],
    [x + width, BED + 4],
  ];
  return (
    shape(box(x, top + 8, width, BED - top - 4)) +
    hatch(box(x + 11, top + 8, width - 11, BED - top - 4), { angle: 90, gap: 4.5, reach: 0.9 }) +
    shape([
      [x, top + 8],
      [x + depth, top],
      [x + width + depth, top],
      [x + width, top + 8],
    ]) +
    shape(side) +
    hatch(side, { angle: 90, gap: 3.4, width: 1.2 })
  );
}

function bed(): string {
  const front = box(60, BED, 366, 26);
  const lug = box(206, BED + 26, 112, BENCH - BED - 26);
  return [
    // The lug below the bed, for the bench vice.
    shape(lug) + hatch(lug, { angle: 30, gap: 4.2, reach: 0.85 }),
    shape([
      [60, BED],
      [74, BED - 10],
      [440, BED - 10],
      [426, BED],
    ]),
    shape([
      [426, BED],
      [440, BED - 10],
      [440, BED + 16],
      [426, BED + 26],
    ]),
    hatch(
      [
        [426, BED],
        [440, BED - 10],
        [440, BED + 16],
        [426, BED + 26],
      ],
      { angle: 90, gap: 3.4 },
    ),
    shape(front) + hatch(box(60, BED + 11, 366, 15), { angle: 0, gap: 3.4, width: 1.2 }),
  ].join('');
}

/** Crank, grip and the ratchet that keeps the spring wound. */
function crank(): string {
  const arm = smooth(
    [
      [74, AXIS + 14],
      [66, AXIS],
      [72, AXIS - 40],
      [74, 60],
      [82, 52],
      [90, 60],
      [92, AXIS - 40],
      [98, AXIS],
      [90, AXIS + 14],
    ],
    true,
  );
  const wheel: Point = [136, AXIS];
  const click = smooth(points('122 74, 134 66, 146 72, 144 82, 137 97, 131 95, 132 84'), true);
  return [
    turned([20, 66], 0, 0.2, [
      bulge(50, [9, 14, 16, 15, 12, 10, 11], { surface: 'wooden' }),
      collar(8, 9, { brass: true }),
    ]),
    turned([90, AXIS], 0, TILT, [rod(36, 9)]),
    shape(arm) + hatch(arm, { angle: 0, gap: 3.8, reach: 0.5 }),
    shape(circle([82, 67], 3.4), INK, 1),
    turned([127, AXIS], 0, TILT, [rod(9, 37, 37, { brass: true, surface: 'fluted' })]),
    shape(teeth(wheel, 33, 40, 24, 0.9, TILT), BRASS, 1.8),
    shape(ellipse(wheel, 24 * TILT, 24), BRASS, FINE),
    turned([136, AXIS], 0, TILT, [rod(34, 9)]),
    shape(click) + hatch(click, { angle: 30, gap: 3.4, reach: 0.6 }),
    turned([135, 78], 0, TILT, [rod(4, 7), rod(30, 4)]),
  ].join('');
}

/** The spring on its arbor; its outer end runs down to a peg on the bed. */
function mainspring(x: number): string {
  const band = box(x - 52, AXIS, 32, 66);
  return [
    shape(box(x - 44, AXIS + 62, 16, BED - AXIS - 56)),
    turned([x - 32, AXIS], 0, TILT, [rod(32, 66)]),
    line(spiral([x, AXIS], 22, 66, 8, TILT, -90), FINE),
    shape(ellipse([x, AXIS], 21 * TILT, 21)),
    shape(band, undefined, 0) + hatch(band, { angle: 90, gap: 5, reach: 0.7 }),
    line([
      [x - 52, AXIS + 2],
      [x - 52, AXIS + 66],
    ]) +
      line([
        [x - 20, AXIS + 2],
        [x - 20, AXIS + 66],
      ]),
    turned([x - 62, AXIS + 72], 0, TILT, [rod(8, 10), rod(46, 7), rod(6, 10)]),
  ].join('');
}

export function drawMainspringWinder(): string {
  return plate(
    castShadow(206, 318),
    bed(),
    crank(),
    post(160, 58, 20),
    turned([190, AXIS], 0, TILT, [collar(10, 20), collar(30, 25, { surface: 'fluted' }), rod(12, 20, 12)]),
    mainspring(292),
    turned([292, AXIS], 0, TILT, [rod(14, 12), rod(60, 7)]),
    post(366, 88, 20),
    turned([394, AXIS], 0, TILT, [collar(6, 13), rod(16, 7)]),
    dimension([60, 322], [426, 322], '200'),
  );
}
