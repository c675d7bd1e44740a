import { radians } from './curves.ts';
import { FINE, line, type Point } from './pen.ts';

/** A turned surface to shade: `along` is the distance along its axis, `share` runs from -1 to 1 across it. */
type Ground = {
  profile: readonly (readonly [along: number, radius: number])[];
  /** The point of the surface at a distance along the axis, on a circle of the given radius. */
  at: (along: number, radius: number, share: number) => Point;
  /** From 0 in the light to 1 in the deepest shade. */
  darkness: (share: number) => number;
};

const widest = ({ profile }: Ground) => Math.max(...profile.map(([, radius]) => radius));
const length = ({ profile }: Ground) => profile.at(-1)?.[0] ?? 0;

/** A line along the body at a share of its radius, between two fractions of its length. */
function meridian({ profile, at }: Ground, share: number, width: number, from = 0, to = 1): string {
  const part = profile.slice(Math.floor(profile.length * from), Math.ceil(profile.length * to));
  return part.length > 1
    ? line(
        part.map(([along, radius]) => at(along, radius, share)),
        width,
      )
    : '';
}

/** Polished metal: lines along the body, closer and stronger in the shade. */
function polished(ground: Ground): string {
  const radius = widest(ground);
  let marks = '';
  for (let across = 1.6 - radius, tone = 0.5, row = 0; across < radius - 1.6; across += 0.2) {
    const dark = ground.darkness(across / radius);
    tone += (0.2 * dark) / 2.2;
    if (tone < 1) continue;
    tone -= 1;
    row += 1;
    // Towards the light, lines stop short of the ends, each at a different length.
    const lift = Math.max(0, 0.34 - dark) * (row % 2 === 0 ? 1.25 : 0.6);
    marks += meridian(ground, across / radius, 0.7 + 0.9 * dark, lift * 0.8, 1 - lift);
  }
  return marks;
}

/** Wood: the same shading over a fine grain that is visible in the light, too. */
function wooden(ground: Ground): string {
  const radius = widest(ground);
  let marks = polished(ground);
  for (let share = -0.86, row = 0; share < 0.3; share += 3.6 / radius, row++) {
    marks += meridian(ground, share, 0.7, 0.06 + 0.13 * ((row * 5) % 4), 0.95 - 0.15 * ((row * 3) % 4));
  }
  return marks;
}

/** Straight knurling like a coin's edge: evenly spaced around the body, so denser towards the sides. */
function fluted(ground: Ground): string {
  const count = Math.max(5, Math.round(widest(ground) / 1.7));
  return Array.from({ length: count - 1 }, (_, index) => {
    const share = Math.sin(radians(-90 + (180 * (index + 1)) / count));
    return meridian(ground, share, 0.9 + 0.9 * ground.darkness(share));
  }).join('');
}

/** Diamond knurling: two hands of helices. */
function knurled(ground: Ground): string {
  const [radius, end] = [widest(ground) - 0.6, length(ground)];
  const [pitch, twist] = [270 / radius, 42 / radius];
  const step = end / Math.ceil(end / 3);
  let marks = '';
  for (const hand of [1, -1]) {
    for (let turn = -90 - end * twist; turn < 90 + end * twist; turn += pitch) {
      const points: Point[] = [];
      for (let along = 0; along <= end + 0.01; along += step) {
        const degrees = turn + hand * along * twist;
        if (Math.abs(degrees) < 86) points.push(ground.at(along, radius, Math.sin(radians(degrees))));
      }
      if (points.length > 1) marks += line(points, hand === 1 ? 1.1 : 0.8);
    }
  }
  return marks;
}

/** A screw thread: slanting turns, each a half-ellipse. */
function threaded(ground: Ground): string {
  const radius = widest(ground);
  let marks = polished(ground);
  for (let along = 2.5; along < length(ground) - 0.5; along += 3.6) {
    const turn = [-1, -0.7, 0, 0.7, 1].map((share) => ground.at(along + share * 1.2, radius, share));
    marks += line(turn, FINE);
  }
  return marks;
}

export const surfaces = { polished, wooden, fluted, knurled, threaded };
export type Surface = keyof typeof surfaces;
