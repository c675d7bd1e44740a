import { move } from './curves.ts';
import { BENCH, HAIR, line, type Point } from './pen.ts';

/** Varies the length of hatching lines, as if drawn by hand. */
const REACH = [1, 0.82, 0.94, 0.74, 0.9, 0.8];

type Hatching = { angle?: number; gap?: number; width?: number; reach?: number };

/** The x coordinates where the horizontal line at y crosses the outline, from left to right. */
function crossings(outline: readonly Point[], y: number): number[] {
  const found: number[] = [];
  outline.forEach(([x1, y1], index) => {
    const [x2, y2] = outline[(index + 1) % outline.length] ?? [x1, y1];
    if (y1 <= y !== y2 <= y) found.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
  });
  return found.sort((a, b) => a - b);
}

/**
 * Parallel lines inside a closed outline. They start at the side that `angle` (degrees, 0 to the right) points to and,
 * with a `reach` below 1, end before the other side.
 */
export function hatch(
  outline: readonly Point[],
  { angle = 45, gap = 4.5, width = HAIR, reach = 1 }: Hatching = {},
) {
  const level = move(outline, [0, 0], -angle);
  const heights = level.map(([, y]) => y);
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
  const lines: string[] = [];
  for (let y = top + gap * 0.6, row = 0; y < bottom; y += gap, row++) {
    const xs = crossings(level, y);
    for (let index = 0; index + 1 < xs.length; index += 2) {
      const [from = 0, to = 0] = [xs[index], xs[index + 1]];
      const share = reach < 1 ? reach * (REACH[row % REACH.length] ?? 1) : 1;
      const start = to - (to - from) * share;
      if (to - start > 1.5)
        lines.push(
          line(
            move(
              [
                [start, y],
                [to, y],
              ],
              [0, 0],
              angle,
            ),
            width,
          ),
        );
    }
  }
  return lines.join('');
}

/** The shadow on the bench of an object that stands from x1 to x2. Light comes from the upper left. */
export function castShadow(x1: number, x2: number, y = BENCH): string {
  const long = x2 - x1;
  const rows: readonly [lift: number, from: number, to: number][] = [
    [3.5, 0.02, 1.02],
    [7.5, 0.1, 1.1],
    [11.5, 0.24, 1.06],
    [15.5, 0.42, 1.0],
  ];
  return rows
    .map(([lift, from, to]) =>
      line(
        [
          [x1 + long * from + lift, y + lift],
          [x1 + long * to + lift, y + lift],
        ],
        HAIR,
      ),
    )
    .join('');
}
