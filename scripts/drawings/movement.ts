import { arc, CONTOUR, circle, FINE, HAIR, mark, type Point, polar, polygon, sheet } from './engraving.ts';
import { balance, barrel, escapeWheel, pivot, screw, wheel } from './wheels.ts';

const middle: Point = [320, 320];
// The gear train: each centre is placed so that the wheel meshes with the next pinion.
const spring: Point = [226, 404];
const third: Point = [404, 394];
const fourth: Point = [463, 328];
const escaping: Point = [428, 272];
const staff: Point = [294, 206];

/** The hero's engraving: a skeleton movement in its chapter ring. The page draws the hands over its centre. */
export function drawMovement(): string {
  return sheet(640, [
    ...chapterRing(),
    ...plateRim(),
    ...barrel(spring, 100),
    ...click(),
    ...wheel({ centre: third, radius: 80, teeth: 62, arms: 5, turn: 20 }),
    ...wheel({ centre: fourth, radius: 54, teeth: 50, arms: 4, turn: 10 }),
    ...escapeWheel(escaping, 44),
    ...wheel({ centre: middle, radius: 98, teeth: 72, arms: 6, turn: 2 }),
    ...anchor(),
    ...balance(staff, 74, 24),
    ...balanceCock(),
    ...pivot(middle, 16),
  ]);
}

/** The hour ring: Roman numerals in the clockmakers' style (IIII) and a minute track. */
function chapterRing(): string[] {
  const minutes = Array.from({ length: 60 }, (_, minute) =>
    polygon([polar(middle, minute % 5 ? 296 : 292, minute * 6), polar(middle, 304, minute * 6)], false),
  );
  return [
    mark(circle(middle, 314), 'leaf'),
    mark(circle(middle, 308) + circle(middle, 304), 'none', HAIR),
    mark(circle(middle, 292), 'none', HAIR),
    mark(minutes.join(''), 'none', FINE),
    ...numerals.flatMap((letters, index) => numeral(letters, (index + 1) * 30)),
    mark(circle(middle, 236)),
  ];
}

const numerals = ['I', 'II', 'III', 'IIII', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'];
const widths: Record<string, number> = { I: 8, V: 17, X: 17 };

function numeral(letters: string, degrees: number): string[] {
  const total = [...letters].reduce((sum, letter) => sum + (widths[letter] ?? 0), 0);
  let from = -total / 2;
  const strokes: string[] = [];
  for (const letter of letters) {
    const width = widths[letter] ?? 0;
    strokes.push(glyph(letter, from + width / 2, degrees));
    from += width;
  }
  return [`<path class="ink" d="${strokes.join('')}"/>`];
}

/** One letter as solid strokes between the ring's two circles; `across` is its offset along the ring. */
function glyph(letter: string, across: number, degrees: number): string {
  const [top, bottom] = [286, 246];
  const place = (x: number, radius: number) => polar(middle, radius, degrees + (x / 266) * 57.3);
  const stroke = (x1: number, x2: number, thick: number) =>
    polygon([
      place(across + x1 - thick / 2, top),
      place(across + x1 + thick / 2, top),
      place(across + x2 + thick / 2, bottom),
      place(across + x2 - thick / 2, bottom),
    ]);
  const serif = (x: number, radius: number, wide: number) =>
    polygon([
      place(across + x - wide, radius),
      place(across + x + wide, radius),
      place(across + x + wide, radius - 1.8),
      place(across + x - wide, radius - 1.8),
    ]);
  if (letter === 'I') return stroke(0, 0, 4.4) + serif(0, top, 4.2) + serif(0, bottom + 1.8, 4.2);
  if (letter === 'V')
    return stroke(-5.5, 0, 4.4) + stroke(6, 0.8, 1.6) + serif(-5.5, top, 4.2) + serif(6, top, 3.4);
  return (
    stroke(-5.5, 5.5, 4.6) +
    stroke(5.5, -5.5, 1.6) +
    serif(-5.5, top, 4) +
    serif(5.5, top, 3.4) +
    serif(5.5, bottom + 1.8, 4) +
    serif(-5.5, bottom + 1.8, 3.4)
  );
}

/** The plate behind the train: its turned edge, its pillars and its grain. */
function plateRim(): string[] {
  const grain = [-150, -120, -90, -60, -30, 0, 30, 60, 90, 120, 150].map((y) => {
    const half = Math.sqrt(214 ** 2 - y ** 2);
    return polygon(
      [
        [320 - half, 320 + y],
        [320 + half, 320 + y],
      ],
      false,
    );
  });
  return [
    mark(circle(middle, 228)),
    mark(circle(middle, 216), 'none', FINE),
    mark(shadeRim(), 'none', HAIR),
    `<g opacity=".35">${mark(grain.join(''), 'none', HAIR)}</g>`,
    ...[48, 163, 262, 322].flatMap((angle) => screw(polar(middle, 200, angle), 9, angle * 1.7)),
  ];
}

function shadeRim(): string {
  return Array.from({ length: 90 }, (_, index) => 70 + index * 1.7)
    .map((angle) => polygon([polar(middle, 218, angle), polar(middle, 226, angle)], false))
    .join('');
}

/** The click, which keeps the ratchet from turning back, and its spring. */
function click(): string[] {
  const root: Point = [163, 352];
  return [
    mark(polygon([root, polar(root, 10, 30), [190, 374], polar(root, 9, 170)]), 'wash', FINE),
    ...screw(root, 7, 20),
    mark(arc([172, 400], 56, 328, 284), 'none', FINE),
  ];
}

/** The anchor between escape wheel and balance, its two pallets on the wheel's teeth. */
function anchor(): string[] {
  const arbor: Point = [378, 231];
  return [
    mark(
      polygon([
        [389, 263],
        [397, 260],
        [387, 239],
        [413, 220],
        [422, 224],
        [424, 216],
        [411, 211],
        [379, 223],
        [343, 213],
        [341, 220],
        [370, 235],
      ]),
      'wash',
    ),
    ...pivot(arbor, 6.5),
  ];
}

/** The cock that carries the balance's upper pivot, with its regulator. */
function balanceCock(): string[] {
  const foot: Point = [164, 268];
  const [fx, fy] = foot;
  const [sx, sy] = staff;
  return [
    mark(
      `M${fx - 22} ${fy - 4}C${fx - 30} ${fy - 44} ${fx + 10} ${fy - 62} ${sx - 42} ${sy - 8}` +
        `C${sx - 26} ${sy - 26} ${sx + 6} ${sy - 30} ${sx + 17} ${sy - 8}` +
        `C${sx + 24} ${sy + 16} ${sx - 2} ${sy + 26} ${sx - 22} ${sy + 16}` +
        `C${sx - 60} ${sy + 16} ${fx + 46} ${fy - 2} ${fx + 24} ${fy + 22}C${fx + 6} ${fy + 34} ${fx - 18} ${fy + 20} ${fx - 22} ${fy - 4}Z`,
      'wash',
    ),
    mark(hatch(fx - 8, fy - 30, 9), 'none', HAIR),
    ...screw([fx, fy], 12, 48),
    mark(circle(staff, 11), 'leaf', FINE),
    ...pivot(staff, 6),
    mark(polygon([polar(staff, 12, 60), polar(staff, 58, 62)], false), 'none', CONTOUR),
  ];
}

function hatch(x: number, y: number, count: number): string {
  return Array.from({ length: count }, (_, index) =>
    polygon(
      [
        [x + index * 8, y - index * 3],
        [x + index * 8 - 7, y + 15 - index * 4],
      ],
      false,
    ),
  ).join('');
}
