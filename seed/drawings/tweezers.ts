import { move, points, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { FINE, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';

const DEGREES = -22;

/** Edge view: two sprung arms, joined at the butt and nearly meeting at the points. */
function edgewise(at: Point): string {
  const arm: Point[] = smooth(
    points(
      '0 0, 2 -6, 60 -12, 150 -22, 250 -17, 330 -6, 386 -1.5, 386 0, 330 -1.5, 250 -10, 150 -14, 60 -5, 20 0',
    ),
    true,
  );
  const other = arm.map(([x, y]): Point => [x, -y]);
  return [arm, other]
    .map((limb, index) => {
      const put = move(limb, at, DEGREES);
      return shape(put) + hatch(put, { angle: DEGREES + 90, gap: 5, reach: index ? 1 : 0.6 });
    })
    .join('');
}

/** Face view: broad at the grip, with cross grooves, tapering to a fine point. */
function facing(at: Point): string {
  const outline = smooth(
    points(
      '0 -8, 3 -14, 60 -17, 150 -23, 200 -21, 270 -11, 340 -4, 390 -1.2, 390 1.2, 340 4, 270 11, 200 21, 150 23, 60 17, 3 14, 0 8',
    ),
    true,
  );
  const slim = outline.map(([x, y]): Point => [x, y * 0.74]);
  const put = move(slim, at, DEGREES);
  const lower = slim.map(([x, y]): Point => [x, Math.max(y, 0)]);
  const grooves = Array.from({ length: 15 }, (_, index) => {
    const x = 112 + index * 6;
    const half = 11 - Math.abs(index - 7) * 0.5;
    return line(
      move(
        [
          [x, -half],
          [x, half],
        ],
        at,
        DEGREES,
      ),
      FINE,
    );
  });
  return [
    shape(put),
    hatch(move(lower, at, DEGREES), { angle: DEGREES, gap: 4, reach: 1 }),
    ...grooves,
    line(move(points('12 -9, 100 -13'), at, DEGREES), FINE),
  ].join('');
}

export function drawTweezers(): string {
  return plate(
    edgewise([46, 208]),
    facing([66, 286]),
    castShadow(72, 110),
    dimension([84, 326], [446, 180], '130'),
  );
}
