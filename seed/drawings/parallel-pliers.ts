import { arc, circle, points, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { FINE, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';

const AT: Point = [246, 201];
const SCALE = 1.06;

const flip = (points: readonly Point[]) => points.map(([x, y]): Point => [x, -y]);
const put = (points: readonly Point[]) =>
  points.map(([x, y]): Point => [AT[0] + x * SCALE, AT[1] + y * SCALE]);

/** Jaws left, grips right. The solid jaw of this side, smooth inside, and the pressed grip that moves it. */
const JAW: readonly Point[] = points(
  '-192 -4, -188 -18, -150 -27, -96 -36, -40 -36, -30 -24, -30 -12, -84 -12, -96 -4',
);
const GRIP: readonly Point[] = points(
  '-78 -26, -66 -36, -40 -34, 0 -12, 40 16, 84 40, 150 58, 206 62, 212 72, 204 81, 150 80, 80 66, 30 42, -14 10, -56 -10, -74 -16',
);

export function drawParallelPliers(): string {
  const [grip, crossing] = [put(smooth(GRIP, true)), put(smooth(flip(GRIP), true))];
  const [upper, lower] = [put(JAW), put(flip(JAW))];
  const rivet = (x: number, y: number, r: number) =>
    shape(put(circle([x, y], r))) + line(put(arc([x, y], r * 0.55, r * 0.55, 0, 110)), FINE);
  const bead = (points: readonly Point[]) => line(put(smooth(points)), FINE);
  const channel: readonly Point[] = points('0 -4, 40 24, 84 48, 150 66, 202 70');
  return plate(
    castShadow(390, 462),
    shape(upper) + hatch(upper, { angle: 40, gap: 5, reach: 0.55 }),
    shape(lower) + hatch(lower, { angle: 40, gap: 4, width: 1.2 }),
    shape(crossing) + bead(flip(channel)) + hatch(crossing, { angle: 60, gap: 5, reach: 0.5 }),
    shape(grip) + bead(channel) + hatch(grip, { angle: 75, gap: 4.6, reach: 0.62 }),
    rivet(-58, -24, 6.5),
    rivet(-58, 24, 6.5),
    rivet(6, 2, 8),
    dimension([43, 322], [471, 322], '140'),
  );
}
