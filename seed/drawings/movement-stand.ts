import { box, circle, points, teeth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, BRASS, FINE, HAIR, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { collar, rod, turned } from './turned.ts';

function wheel([x, y]: Point, r: number, count: number): string {
  const spokes = [0, 60, 120].map((angle) => {
    const [dx, dy] = [
      Math.cos((angle * Math.PI) / 180) * r * 0.78,
      Math.sin((angle * Math.PI) / 180) * r * 0.78,
    ];
    return line(
      [
        [x - dx, y - dy],
        [x + dx, y + dy],
      ],
      FINE,
    );
  });
  return (
    shape(teeth([x, y], r * 0.9, r, count), undefined, 1.2) +
    shape(circle([x, y], r * 0.78), undefined, 1.2) +
    spokes.join('') +
    shape(circle([x, y], r * 0.2), undefined, FINE)
  );
}

/** The movement under test: its back plate, the wheels behind it, pillar screws and arbors. */
function movement(): string {
  const back = box(160, 66, 160, 144);
  const holes: Point[] = points('196 164, 284 164, 240 140, 214 112, 262 104, 240 82');
  return [
    wheel([150, 176], 26, 30),
    wheel([330, 176], 26, 30),
    shape(back, BRASS),
    hatch(box(160, 66, 160, 144), { angle: 52, gap: 6.5, reach: 0.42 }),
    ...points('172 78, 308 78, 172 198, 308 198').map(
      ([x = 0, y = 0]) =>
        shape(circle([x, y], 6)) +
        line(
          [
            [x - 4, y + 3],
            [x + 4, y - 3],
          ],
          FINE,
        ),
    ),
    ...points('196 164, 284 164').map(
      ([x = 0, y = 0]) =>
        shape(circle([x, y], 25), BRASS, FINE) +
        shape(teeth([x, y], 19, 23, 26, 0.9), undefined, FINE) +
        shape(box(x - 5, y - 5, 10, 10), undefined, 1.8),
    ),
    ...holes
      .slice(2)
      .map((at) => shape(circle(at, 7), undefined, FINE) + shape(circle(at, 2.4), undefined, FINE)),
    // Suspension, and the pendulum rod that hangs from it.
    shape(box(233, 48, 14, 20)),
    line(points('240 68, 240 236'), 3),
    shape(circle([240, 240], 0.5)),
    turned([240, 246], -90, 0, [collar(14, 8, { brass: true })]),
  ].join('');
}

/** An upright with its sliding clamp; `side` is 1 if the clamp points to the right. */
function upright(x: number, side: 1 | -1): string {
  const jaw = (y: number) =>
    turned([x, y], side === 1 ? 0 : 180, 0, [rod(18, 8), rod(30, 6), collar(8, 10, { surface: 'fluted' })]) +
    turned([x, y], side === 1 ? 180 : 0, 0, [rod(12, 5), collar(12, 12, { surface: 'fluted' })]) +
    shape(box(x - 13, y - 14, 26, 28)) +
    hatch(box(x - 13, y - 14, 26, 28), { angle: 45, gap: 4.6, reach: 0.5 });
  return turned([x, BENCH - 26], -90, 0.2, [collar(10, 14), rod(206, 7)]) + jaw(92) + jaw(184);
}

export function drawMovementStand(): string {
  const base: Point[] = [
    [58, BENCH],
    [58, 268],
    [72, 254],
    [410, 254],
    [424, 268],
    [424, BENCH],
  ];
  return plate(
    castShadow(64, 424),
    shape(base) +
      line(points('58 268, 424 268')) +
      hatch(box(58, 268, 366, 20), { angle: 0, gap: 3.4, width: 1.1 }),
    line(points('128 261, 354 261'), 4),
    movement(),
    upright(104, 1),
    upright(378, -1),
    dimension([58, 322], [424, 322], '250'),
    dimension([452, BENCH], [452, 46], '165'),
    line(points('392 46, 446 46'), HAIR),
  );
}
