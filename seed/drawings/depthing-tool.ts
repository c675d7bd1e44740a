import { circle, points } from './curves.ts';
import { dimension } from './lettering.ts';
import { BRASS, FINE, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { collar, rod, turned } from './turned.ts';

const MIDDLE = 214;
const WHEEL = 122;
const PINION = 208;
const BRASS_FLUTED = { brass: true, surface: 'fluted' } as const;

/** One half of the tool, seen from above: a brass frame whose two bearings carry a pair of runners. */
function frame(y: number, side: 1 | -1): string {
  const profile: readonly Point[] = points(
    '122 -33, 122 44, 110 56, -110 56, -122 44, -122 -33, -78 -33, -78 18, -66 30, 66 30, 78 18, 78 -33',
  );
  const outline = profile.map(([dx, dy]): Point => [MIDDLE + dx, y + side * dy]);
  return (
    shape(outline, BRASS) +
    hatch(outline, { angle: side === 1 ? 75 : 55, gap: 4.6, reach: side === 1 ? 0.75 : 0.5 })
  );
}

/** A pair of hardened runners: outside a point to scribe with, inside a centre for a pivot. */
const runners = (y: number) =>
  [0, 180]
    .map((angle) =>
      turned([angle ? MIDDLE + 174 : MIDDLE - 174, y], angle, 0, [
        rod(14, 0.6, 6.4),
        rod(104, 6.4),
        rod(9, 6.4, 2.6),
      ]),
    )
    .join('');

/** The screw that locks a runner in its bearing. */
const lock = (x: number, y: number) =>
  shape(circle([x, y], 11)) +
  shape(circle([x, y], 7.6), 'none', FINE) +
  line(
    [
      [x - 5, y + 5],
      [x + 5, y - 5],
    ],
    2,
  );

/** A knuckle of the hinge on which the two halves open. */
const hinge = (x: number) =>
  turned(
    [x - 22, (WHEEL + PINION) / 2],
    0,
    0,
    [14, 16, 14].map((length) => rod(length, 12, 12, { brass: true })),
  );

/** The screw that sets the distance; its point bears on the other half. */
const setScrew = () =>
  turned([MIDDLE - 46, 248], -90, 0, [rod(10, 2, 6), rod(176, 6.4, 6.4, { surface: 'threaded' })]) +
  turned([MIDDLE - 46, 62], -90, 0.2, [collar(8, 12), collar(20, 20, { surface: 'fluted' })]);

export function drawDepthingTool(): string {
  return plate(
    castShadow(MIDDLE - 110, MIDDLE + 126, 266),
    setScrew(),
    frame(WHEEL, -1),
    frame(PINION, 1),
    hinge(MIDDLE - 100),
    hinge(MIDDLE + 100),
    runners(WHEEL),
    runners(PINION),
    // A wheel and its pinion between the centres, in mesh.
    turned([MIDDLE - 46, WHEEL], 0, 0, [rod(6, 1.6), rod(80, 3.6), rod(6, 1.6)]),
    turned([MIDDLE - 46, PINION], 0, 0, [
      rod(6, 1.6),
      rod(22, 3.6),
      rod(46, 17, 17, { surface: 'fluted' }),
      rod(12, 3.6),
      rod(6, 1.6),
    ]),
    turned([MIDDLE - 10, WHEEL], 0, 0, [
      rod(6, 16, 16, { brass: true }),
      rod(8, 72, 72, BRASS_FLUTED),
      rod(5, 9, 9, { brass: true }),
    ]),
    ...[-100, 100].flatMap((dx) => [lock(MIDDLE + dx, WHEEL), lock(MIDDLE + dx, PINION)]),
    dimension([MIDDLE - 174, 322], [MIDDLE + 174, 322], '150'),
    dimension([430, PINION + 56], [430, WHEEL - 56], '85'),
  );
}
