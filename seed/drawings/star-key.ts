import { circle, move, radians } from './curves.ts';
import { dimension, letters } from './lettering.ts';
import { BENCH, BRASS, FINE, INK, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, rod, turned } from './turned.ts';

const R = 132;
const CENTRE: Point = [226, BENCH - R * Math.cos(radians(36)) - 9];

/** One arm with its square socket. The more it points up or towards the viewer, the more of its mouth is visible. */
function arm(degrees: number, r: number, mark: string): string {
  const direction = degrees - 90;
  const tilt = 0.26;
  const mouth = move([[R, 0]], CENTRE, direction)[0] ?? CENTRE;
  const s = r * 0.46;
  const square = move(
    [
      [-s * tilt, -s],
      [s * tilt * 0.4, -s],
      [s * tilt, s],
      [-s * tilt * 0.4, s],
    ],
    mouth,
    direction,
  );
  const label = move([[53, 0]], CENTRE, direction)[0] ?? CENTRE;
  return (
    turned(CENTRE, direction, tilt, [
      bulge(74, [24, 20, 16, r * 0.9, r * 0.86], { brass: true }),
      bulge(10, [r * 0.9, r + 3.5, r + 3.5, r], { brass: true }),
      rod(R - 84, r, r, { brass: true }),
    ]) +
    shape(square, INK, 1.6) +
    shape(circle(label, 9), BRASS, 0) +
    letters(mark, label, 10)
  );
}

export function drawStarKey(): string {
  const hub = circle(CENTRE, 30);
  return plate(
    castShadow(CENTRE[0] - 84, CENTRE[0] + 96),
    arm(0, 19, '5'),
    arm(-72, 12, '3'),
    arm(72, 17.5, '4.5'),
    arm(-144, 13.6, '3.5'),
    arm(144, 15.6, '4'),
    shape(hub, BRASS) + hatch(hub, { angle: 45, gap: 4, reach: 0.55 }),
    shape(circle(CENTRE, 15)) + shape(circle(CENTRE, 9), undefined, FINE),
    dimension([424, BENCH], [424, CENTRE[1] - R], '70'),
  );
}
