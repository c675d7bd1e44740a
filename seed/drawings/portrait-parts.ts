import { arc, circle, ellipse, move, points, smooth } from './curves.ts';
import { BRASS, INK, LEAF, line, type Point, shape, sheet } from './pen.ts';
import { hatch } from './shading.ts';

export const EDGE = 3;
export const TONE = 1.35;

/** Lines interpolated between two curves, for hair and folds. */
export function strands(from: string, to: string, count: number, width = TONE): string {
  const [a, b] = [points(from), points(to)];
  return Array.from({ length: count }, (_, index) => {
    const share = (index + 1) / (count + 1);
    const mixed = a.map(([x, y], at): Point => {
      const [bx, by] = b[at] ?? [x, y];
      return [x + (bx - x) * share, y + (by - y) * share];
    });
    return line(smooth(mixed), width);
  }).join('');
}

/** A closed smooth shape. */
export const form = (list: string, fill: string = LEAF, width: number = EDGE) =>
  shape(smooth(points(list), true), fill, width);
export const stroke = (list: string, width: number = EDGE) => line(smooth(points(list)), width);

type Features = {
  /** How far the nose reaches forward (0 small to 14 large), and how much its bridge bows. */
  nose: number;
  bow?: number;
  lips?: number;
  /** Positive is a strong chin. */
  chin?: number;
  /** Positive is an older, heavier jaw. */
  jaw?: number;
};

/** Head and neck, with eye, ear, mouth and the shade below jaw and cheek. */
export function drawHead({ nose, bow = 0, lips = 0, chin = 0, jaw = 0 }: Features): string {
  const face = smooth(
    points(
      `120 46, 98 52, 86 66, 81 82, 79 94, 82 101, ${77 - bow} 112, ${70 - nose * 0.55} 124, ${70 - nose * 0.5} 129.5, ` +
        `76.5 133, 75.5 139, ${72.5 - lips * 0.6} 144.5, 75.5 149, ${73.5 - lips * 0.6} 153.5, 77.5 159, ${75 - chin} 166, ${76 - chin} 174, ` +
        `${86 - chin} ${181 + jaw}, 104 ${180 + jaw}, 126 ${168 + jaw}, 142 146, 168 130, 174 96, 160 58`,
    ),
    true,
  );
  const neck = points(`100 172, 103 196, 96 222, 176 222, 166 190, 165 140, 130 150`);
  const under = points(
    `101 ${179 + jaw}, 130 ${170 + jaw}, 146 146, 165 140, 165 190, 172 214, 140 222, 118 206`,
  );
  return [
    shape(neck, LEAF, 0),
    line(smooth(points(`100 176, 103 194, 98 214`)), EDGE),
    line(smooth(points(`166 126, 165 150, 166 190, 174 216`)), EDGE),
    hatch(under, { angle: 20, gap: 4.4, width: TONE }),
    shape(face, LEAF, EDGE),
    hatch(points(`124 134, 142 146, 126 ${166 + jaw}, 104 ${178 + jaw}, 92 ${177 + jaw}, 112 160`), {
      angle: 62,
      gap: 4.6,
      width: TONE,
      reach: 0.9,
    }),
    // Eye, brow, nostril, mouth.
    stroke('84 106, 90 101, 100 105', 2.6),
    stroke('86 109, 92 110, 98 107', TONE),
    shape(ellipse([89.5, 105.6], 2.4, 3.6), INK, 0),
    stroke('80 93, 90 89, 104 94', 3.4),
    stroke(`${78 - nose * 0.4} 130, 80 126, 84 129, 82 133`, 1.8),
    stroke('75.5 149, 83 150.5, 90 147.5', 2),
    // Ear.
    form('138 108, 146 103, 153 110, 151 124, 144 136, 139 132, 138 120', LEAF, 2.4),
    stroke('142 112, 148 111, 147 120, 143 126', TONE),
  ].join('');
}

/** Shoulders under a garment, optionally filled. */
export function shoulders(fill: string = LEAF, angle = 60, gap = 6): string {
  const body = smooth(
    points(
      '4 256, 16 224, 56 208, 96 196, 106 212, 132 222, 158 212, 170 194, 210 210, 232 234, 240 262, 120 274',
    ),
    true,
  );
  return shape(body, fill, EDGE) + hatch(body, { angle, gap, width: TONE, reach: 0.62 });
}

/** Round spectacles: one lens, seen at an angle, and the temple that runs to the ear. */
export const spectacles = () =>
  shape(ellipse([92, 107], 12, 14), 'none', 2.6) +
  line(points('104 104, 140 108'), 2.4) +
  line(points('81 103, 77 104'), 2.4);

/** A watchmaker's loupe, held in the eye. */
export const loupe = () =>
  shape(move(points('0 -9, -20 -14, -20 14, 0 9'), [86, 106]), BRASS, 2.6) +
  shape(ellipse([66, 106], 5, 14), LEAF, 2.6) +
  hatch(move(points('0 2, -18 4, -18 13, 0 9'), [86, 106]), { angle: 0, gap: 3.6, width: 1.2 }) +
  line(smooth(points('86 98, 120 92, 158 96')), 1.8);

/** Curls: small open rings set in rows. */
export const curls = (list: string, r: number) =>
  points(list)
    .map(
      (at, index) =>
        shape(circle(at, r), LEAF, 0) +
        line(arc(at, r, r, 20 + index * 57, 290 + index * 57), 1.9) +
        line(arc(at, r * 0.45, r * 0.45, 200 + index * 57, 400 + index * 57), TONE),
    )
    .join('');

/**
 * A complete portrait: a bust in profile, 240 × 240, looking to the left, into the light. The background is shaded on the
 * side away from the light.
 */
export const portrait = (...marks: string[]) =>
  sheet(
    240,
    240,
    hatch(circle([120, 116], 112), { angle: 0, gap: 5.2, width: 0.7 }),
    hatch(circle([120, 116], 112), { angle: 0, gap: 5.2, width: 1.5, reach: 0.52 }),
    ...marks,
  );
