import { arc, circle, ellipse, radians, spiral } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, line, type Point, plate, shape } from './pen.ts';
import { castShadow } from './shading.ts';

/** A clamp of round steel bent to a C, standing on the bench, its mouth to the upper right. */
function clamp([x, y]: Point, r: number, wire: number): string {
  const along = (angle: number): Point => [
    x + r * Math.cos(radians(angle)),
    y + r * Math.sin(radians(angle)),
  ];
  const [from, to] = [2, 318];
  const outline = [
    ...arc([x, y], r + wire, r + wire, from, to),
    ...arc(along(to), wire, wire, to, to + 180),
    ...arc([x, y], r - wire, r - wire, to, from),
    ...arc(along(from), wire, wire, from + 180, from + 360),
  ];
  const shade = [0.1, 0.32, 0.52, 0.7, 0.86].map((share, index) =>
    line(
      arc([x, y], r + wire * share, r + wire * share, 30 - index * 5, 96 + index * 13),
      0.8 + index * 0.15,
    ),
  );
  const inner = [0.15, 0.4, 0.62, 0.82].map((share, index) =>
    line(
      arc([x, y], r - wire * share, r - wire * share, 196 - index * 4, 262 + index * 9),
      0.8 + index * 0.15,
    ),
  );
  return shape(outline) + shade.join('') + inner.join('');
}

/** A wound spring in its clamp; the outer end comes out of the mouth with its loop. */
function spring([x, y]: Point, r: number): string {
  const coil = spiral([x, y], 24, r, 9, 1, -30);
  const tail: Point[] = [
    [x + r * 0.94, y - r * 0.34],
    [x + r * 1.36, y - r * 0.7],
  ];
  return (
    shape(circle([x, y], r)) +
    line(coil, 1.5) +
    shape(circle([x, y], 20)) +
    line(spiral([x, y], 13, 21, 0.9, 1, 120), 1.5) +
    line(tail) +
    shape(ellipse([x + r * 1.4, y - r * 0.73], 6, 4.5))
  );
}

export function drawMainspringClamps(): string {
  const large: Point = [132, BENCH - 104];
  return plate(
    castShadow(74, 190),
    spring(large, 86),
    clamp(large, 95, 9),
    castShadow(286, 350),
    clamp([308, BENCH - 62], 55, 7),
    castShadow(394, 430),
    clamp([410, BENCH - 39], 33.5, 5.5),
    dimension([28, 324], [236, 324], '55'),
  );
}
