import { radians } from './curves.ts';
import { BRASS, FINE, LEAF, type Point, shape } from './pen.ts';
import { type Surface, surfaces } from './surfaces.ts';

/** A length of lathe work: its profile as [distance along the axis, radius] and its surface finish. */
type Section = {
  profile: readonly (readonly [along: number, radius: number])[];
  brass?: boolean;
  surface?: Surface;
};
type Look = Omit<Section, 'profile'>;

/** A cylinder, or a cone if a second radius is given. */
export const rod = (length: number, from: number, to = from, look: Look = {}): Section => ({
  profile: Array.from({ length: 13 }, (_, step) => [(length * step) / 12, from + ((to - from) * step) / 12]),
  ...look,
});

/** A cylinder with chamfered edges. */
export function collar(length: number, radius: number, look: Look = {}): Section {
  const edge = Math.min(2.2, length / 3, radius / 2);
  return {
    profile: [
      [0, radius - edge],
      [edge, radius],
      [length - edge, radius],
      [length, radius - edge],
    ],
    ...look,
  };
}

/** A curved body through evenly spaced radii, such as a handle or a ball. */
export function bulge(length: number, radii: readonly number[], look: Look = {}): Section {
  const radius = (index: number) => radii[Math.min(Math.max(index, 0), radii.length - 1)] ?? 0;
  const steps = Math.max(14, Math.ceil(length / 2));
  const profile = Array.from({ length: steps + 1 }, (_, step): [number, number] => {
    const position = (step / steps) * (radii.length - 1);
    const index = Math.min(Math.floor(position), radii.length - 2);
    const t = position - index;
    const [a, b, c, d] = [radius(index - 1), radius(index), radius(index + 1), radius(index + 2)];
    const bend = t * t * (a - 2.5 * b + 2 * c - d / 2) + t * t * t * (1.5 * (b - c) + (d - a) / 2);
    return [(step / steps) * length, Math.max(0, b + (t * (c - a)) / 2 + bend)];
  });
  return { profile, ...look };
}

/** Light from the upper left, slightly from the viewer's side. */
const LIGHT = { x: -0.52, y: -0.6, towards: 0.6 };

/**
 * Lathe work from `at` along `angle` (degrees; -90 is upright), drawn from the far end to the near end. `tilt` turns the
 * near faces towards the viewer: 0 is a side elevation, 0.3 shows them as ellipses of that ratio.
 */
export function turned(at: Point, angle: number, tilt: number, sections: readonly Section[]): string {
  const [cos, sin] = [Math.cos(radians(angle)), Math.sin(radians(angle))];
  const place = (along: number, across: number): Point => [
    at[0] + along * cos - across * sin,
    at[1] + along * sin + across * cos,
  ];
  /** Half of a round edge, from the upper side to the lower: the near half (1) or the far one (-1). */
  const edge = (along: number, radius: number, half: 1 | -1) =>
    Array.from({ length: 33 }, (_, index) => {
      const turn = radians(-90 + (index * 180) / 32);
      return place(along + half * tilt * radius * Math.cos(turn), radius * Math.sin(turn));
    });
  const darkness = (share: number) => {
    const facing =
      share * (LIGHT.y * cos - LIGHT.x * sin) + LIGHT.towards * Math.sqrt(Math.max(0, 1 - share ** 2));
    return Math.min(1, Math.max(0, 0.68 - facing));
  };
  let marks = '';
  let start = 0;
  for (const { profile, brass = false, surface = 'polished' } of sections) {
    const from = start;
    const [first = [0, 0], last = first] = [profile[0], profile.at(-1)];
    const fill = brass ? BRASS : LEAF;
    const upper = profile.map(([along, radius]) => place(from + along, -radius));
    const lower = profile.map(([along, radius]) => place(from + along, radius)).reverse();
    const outline = [
      ...edge(from, first[1], -1).reverse(),
      ...upper,
      ...edge(from + last[0], last[1], 1),
      ...lower,
    ];
    const surfacePoint = (along: number, radius: number, share: number) =>
      place(from + along - tilt * radius * Math.sqrt(Math.max(0, 1 - share ** 2)), share * radius);
    marks +=
      shape(outline, fill, 0) +
      surfaces[surface]({ profile, at: surfacePoint, darkness }) +
      shape(outline, 'none');
    start += last[0];
    if (tilt > 0 && last[1] > 0.5) {
      const face = [...edge(start, last[1], 1), ...edge(start, last[1], -1).reverse()];
      marks += shape(face, fill, FINE * 1.3);
    }
  }
  return marks;
}
