import { box } from './curves.ts';
import { dimension, letters } from './lettering.ts';
import { BENCH, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const TILT = 0.3;
const FRONT = 262;
const TOP = 206;

/** A reamer in its hole in the block: shank, collar, tapered flutes. */
function reamer(x: number, r: number): string {
  return turned([x, TOP - 12], -90, TILT, [
    rod(26, r * 0.9 + 1),
    collar(9, r + 3, { brass: true }),
    rod(14, r * 0.8),
    rod(66, r, r * 0.5, { surface: 'fluted' }),
    rod(10, r * 0.44, r * 0.3),
  ]);
}

/** A bushing: a short brass tube with its oil sink upwards. */
function bushing(x: number, r: number, height: number): string {
  return turned([x, BENCH - TILT * r], -90, TILT, [
    rod(height, r, r, { brass: true }),
    rod(0.01, r * 0.55, r * 0.55, {}),
  ]);
}

export function drawBushingSet(): string {
  const front = box(46, TOP, 270, FRONT - TOP);
  const end: Point[] = [
    [316, TOP],
    [346, TOP - 26],
    [346, FRONT - 26],
    [316, FRONT],
  ];
  const grain = [0, 1, 2, 3, 4, 5].map((row) =>
    line(
      [
        [56 + row * 23, TOP + 36 + (row % 3) * 6],
        [150 + row * 26, TOP + 36 + (row % 3) * 6],
      ],
      0.8,
    ),
  );
  return plate(
    castShadow(60, 340, FRONT),
    shape([
      [46, TOP],
      [76, TOP - 26],
      [346, TOP - 26],
      [316, TOP],
    ]),
    shape(end) + hatch(end, { angle: 90, gap: 3.6, width: 1.1 }),
    ...[3.4, 4.4, 5.6, 7.2, 9.2].map((r, index) => reamer(94 + index * 52, r)),
    shape(front, 'none'),
    ...grain,
    ...['I', 'II', 'III', 'IV', 'V'].map((mark, index) => letters(mark, [82 + index * 52, TOP + 17], 12)),
    castShadow(372, 436),
    turned([404, BENCH - 9], -90, TILT, [
      bulge(64, [20, 29, 31, 27, 20, 15, 17], { surface: 'wooden' }),
      collar(14, 17, { brass: true }),
      collar(40, 14, { surface: 'knurled' }),
      rod(12, 12, 9),
      rod(3, 5),
    ]),
    ...[14, 12, 10.4, 9].map(
      (r, index) =>
        castShadow(98 + index * 44 - r, 98 + index * 44 + r) + bushing(98 + index * 44, r, 15 - index),
    ),
    dimension([46, 322], [316, 322], '90'),
  );
}
