import { arc, CONTOUR, circle, FINE, HAIR, mark, type Point, polar, polygon, spiral } from './engraving.ts';

type Wheel = { centre: Point; radius: number; teeth: number; arms: number; turn?: number };

/** A train wheel: rounded teeth, a rim, crossings between its arms, a hub with the pinion's pivot. */
export function wheel({ centre, radius, teeth, arms, turn = 0 }: Wheel): string[] {
  const depth = (radius * 2 * Math.PI) / teeth / 2.1;
  const inner = radius - depth - radius * 0.1;
  const hub = radius * 0.2;
  const crossings = Array.from({ length: arms }, (_, arm) => crossing(centre, hub, inner, arms, arm, turn));
  return [
    mark(toothed(centre, radius, depth, teeth, turn) + crossings.join(''), 'wash'),
    mark(circle(centre, radius - depth - 2), 'none', HAIR),
    mark(shade(centre, inner + 1.5, radius - depth - 3.5, 100, 200), 'none', HAIR),
    ...pivot(centre, hub * 0.62),
  ];
}

function toothed(centre: Point, radius: number, depth: number, teeth: number, turn: number): string {
  const step = 360 / teeth;
  const points = Array.from({ length: teeth }, (_, tooth) => {
    const middle = turn + tooth * step;
    return [
      polar(centre, radius - depth, middle - step * 0.3),
      polar(centre, radius - depth * 0.35, middle - step * 0.24),
      polar(centre, radius, middle - step * 0.06),
      polar(centre, radius, middle + step * 0.06),
      polar(centre, radius - depth * 0.35, middle + step * 0.24),
      polar(centre, radius - depth, middle + step * 0.3),
    ];
  });
  return polygon(points.flat());
}

/** The opening between two arms: a sector with straight sides. */
function crossing(
  centre: Point,
  hub: number,
  inner: number,
  arms: number,
  arm: number,
  turn: number,
): string {
  const width = inner * 0.075;
  const [from, to] = [turn + (arm * 360) / arms, turn + ((arm + 1) * 360) / arms];
  const off = (radius: number) => (Math.asin(width / radius) * 180) / Math.PI;
  const outer = arc(centre, inner, from + off(inner), to - off(inner));
  const near = arc(centre, hub, to - off(hub), from + off(hub));
  return `${outer}${near.replace('M', 'L')}Z`;
}

/** Short radial strokes for shadow. */
function shade(centre: Point, from: number, to: number, start: number, end: number): string {
  const count = Math.round(((end - start) * to) / 160);
  return Array.from({ length: count }, (_, index) => {
    const angle = start + ((end - start) * index) / count;
    return polygon([polar(centre, from, angle), polar(centre, to, angle)], false);
  }).join('');
}

/** An arbor's end in its hole. */
export function pivot(centre: Point, radius: number): string[] {
  return [mark(circle(centre, radius), 'leaf'), mark(circle(centre, radius * 0.45), 'none', FINE)];
}

/** A screw's head with its slot. */
export function screw(centre: Point, radius: number, turn: number): string[] {
  const slot = [polar(centre, radius * 0.95, turn), polar(centre, radius * 0.95, turn + 180)];
  return [
    mark(circle(centre, radius), 'leaf'),
    mark(polygon(slot, false), 'none', CONTOUR),
    mark(arc(centre, radius * 0.7, 110, 190), 'none', HAIR),
  ];
}

/** The barrel with its mainspring and ratchet wheel. */
export function barrel(centre: Point, radius: number): string[] {
  const ratchet = Array.from({ length: 26 }, (_, tooth) => [
    polar(centre, radius * 0.4, (tooth * 360) / 26),
    polar(centre, radius * 0.47, (tooth * 360) / 26),
  ]);
  return [
    mark(toothed(centre, radius, 7, 66, 0), 'wash'),
    mark(circle(centre, radius - 10), 'leaf'),
    mark(spiral(centre, radius * 0.46, radius - 14, 7), 'none', HAIR),
    mark(polygon(ratchet.flat()), 'wash', FINE),
    ...screw(centre, radius * 0.2, 35),
  ];
}

/** The escape wheel: pointed teeth that lean against its direction of rotation. */
export function escapeWheel(centre: Point, radius: number): string[] {
  const step = 360 / 15;
  const teeth = Array.from({ length: 15 }, (_, tooth) => [
    polar(centre, radius * 0.74, tooth * step - 9),
    polar(centre, radius, tooth * step + 4),
    polar(centre, radius * 0.72, tooth * step + 3),
  ]);
  const inner = radius * 0.58;
  const crossings = [0, 1, 2, 3].map((arm) => crossing(centre, radius * 0.24, inner, 4, arm, 20));
  return [mark(polygon(teeth.flat()) + crossings.join(''), 'wash'), ...pivot(centre, radius * 0.15)];
}

/** The balance: a rim with its screws, two arms and the hairspring. */
export function balance(centre: Point, radius: number, turn: number): string[] {
  const screws = Array.from({ length: 14 }, (_, index) => turn + 12 + index * 25.5).flatMap((angle) => [
    mark(
      polygon([
        polar(polar(centre, radius, angle), 4, angle - 90),
        polar(polar(centre, radius + 9, angle), 5, angle - 90),
        polar(polar(centre, radius + 9, angle), 5, angle + 90),
        polar(polar(centre, radius, angle), 4, angle + 90),
      ]),
      'leaf',
      FINE,
    ),
  ]);
  const inner = radius - 9;
  const halves = [0, 1].map((arm) => crossing(centre, 13, inner, 2, arm, turn));
  return [
    ...screws,
    mark(circle(centre, radius) + halves.join(''), 'wash'),
    mark(shade(centre, inner + 1, radius - 2, 95, 205), 'none', HAIR),
    mark(spiral(centre, 15, radius * 0.56, 5.3), 'none', FINE),
  ];
}
