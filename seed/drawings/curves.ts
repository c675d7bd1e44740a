import type { Point } from './pen.ts';

/** Parses an outline such as "0 0, 4 7, …". */
export const points = (list: string): Point[] =>
  list.split(',').map((pair): Point => {
    const [x = 0, y = 0] = pair.trim().split(/\s+/).map(Number);
    return [x, y];
  });

/** Degrees to radians; angles grow clockwise, as y grows downwards. */
export const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Part of an ellipse from one angle to another, in degrees. */
export function arc([x, y]: Point, rx: number, ry: number, from: number, to: number): Point[] {
  const steps = Math.max(6, Math.ceil((Math.abs(to - from) / 360) * (24 + Math.max(rx, ry))));
  return Array.from({ length: steps + 1 }, (_, index): Point => {
    const angle = radians(from + ((to - from) * index) / steps);
    return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)];
  });
}

export const ellipse = (centre: Point, rx: number, ry: number) => arc(centre, rx, ry, 0, 360);
export const circle = (centre: Point, r: number) => arc(centre, r, r, 0, 360);

export function box(x: number, y: number, width: number, height: number): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

/** A smooth curve through the given points (Catmull-Rom). A closed one returns to its start. */
export function smooth(knots: readonly Point[], closed = false): Point[] {
  const count = knots.length;
  const knot = (index: number): Point => {
    const at = closed ? (index + count) % count : Math.min(Math.max(index, 0), count - 1);
    return knots[at] ?? [0, 0];
  };
  const out: Point[] = [];
  for (let index = 0; index < (closed ? count : count - 1); index++) {
    const [a, b, c, d] = [knot(index - 1), knot(index), knot(index + 1), knot(index + 2)];
    const steps = Math.max(3, Math.ceil(Math.hypot(c[0] - b[0], c[1] - b[1]) / 2.5));
    for (let step = 0; step < steps; step++) {
      const t = step / steps;
      const along = (axis: 0 | 1) =>
        b[axis] +
        (t * (c[axis] - a[axis])) / 2 +
        t * t * (a[axis] - 2.5 * b[axis] + 2 * c[axis] - d[axis] / 2) +
        t * t * t * (1.5 * (b[axis] - c[axis]) + (d[axis] - a[axis]) / 2);
      out.push([along(0), along(1)]);
    }
  }
  if (!closed) out.push(knot(count - 1));
  return out;
}

/** Rotates points about the origin, then translates them. */
export function move(points: readonly Point[], [x, y]: Point, degrees = 0): Point[] {
  const [cos, sin] = [Math.cos(radians(degrees)), Math.sin(radians(degrees))];
  return points.map(([px, py]): Point => [x + px * cos - py * sin, y + px * sin + py * cos]);
}

/** Mirrors points at a vertical axis. */
export const mirror = (points: readonly Point[], axis = 0) =>
  points.map(([x, y]): Point => [2 * axis - x, y]);

/** The spiral of a coiled spring, from the inner to the outer radius; `squash` foreshortens it. */
export function spiral(
  [x, y]: Point,
  from: number,
  to: number,
  turns: number,
  squash = 1,
  start = 0,
): Point[] {
  const steps = Math.ceil(turns * 48);
  return Array.from({ length: steps + 1 }, (_, index): Point => {
    const share = index / steps;
    const radius = from + (to - from) * share;
    const angle = radians(start + turns * 360 * share);
    return [x + squash * radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** The outline of a toothed wheel; `rake` slants the teeth like those of a ratchet. */
export function teeth(
  [x, y]: Point,
  root: number,
  tip: number,
  count: number,
  rake = 0,
  squash = 1,
): Point[] {
  const pitch = 360 / count;
  return Array.from({ length: count }, (_, index) => index * pitch).flatMap((start) =>
    (rake
      ? [
          [root, 0],
          [tip, pitch * rake],
        ]
      : [
          [root, 0],
          [tip, pitch * 0.16],
          [tip, pitch * 0.42],
          [root, pitch * 0.58],
        ]
    ).map(([radius = 0, offset = 0]): Point => {
      const angle = radians(start + offset);
      return [x + squash * radius * Math.cos(angle), y + radius * Math.sin(angle)];
    }),
  );
}
