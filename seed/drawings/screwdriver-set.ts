import { arc, circle, points } from './curves.ts';
import { dimension } from './lettering.ts';
import { BRASS, FINE, HAIR, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

/** A screwdriver lying with its blade to the right: swivel head, coloured ring, knurled body, blade. */
function screwdriver(y: number, length: number, r: number, blade: number): string {
  return turned([34, y], 0, 0, [
    bulge(11, [r * 0.6, r * 0.95, r * 1.05, r * 0.9]),
    rod(5, r * 0.5),
    collar(8, r, { brass: true }),
    collar(length * 0.46, r, { surface: 'knurled' }),
    collar(7, r),
    rod(length * 0.06, r, blade + 1.6),
    rod(length * 0.4, blade),
    // Hollow-ground: the flanks are parallel at the edge, so that the blade fills the slot.
    bulge(10, [blade, blade * 0.62, blade * 0.42, blade * 0.4]),
  ]);
}

/** The blade's edge, magnified, in the slot of a screw. */
function detail([x, y]: Point, r: number): string {
  const half = points('26 -78, 25 -52, 17 -34, 10 -20, 8 -6, 8 12');
  const blade: Point[] = [
    ...half.map(([dx, dy]): Point => [x - dx, y + dy]),
    ...half.map(([dx, dy]): Point => [x + dx, y + dy]).reverse(),
  ];
  const visible = blade.filter(([px, py]) => Math.hypot(px - x, py - y) < r);
  const slot: Point[] = [
    [x - 8.5, y - 2],
    [x - 8.5, y + 15],
    [x + 8.5, y + 15],
    [x + 8.5, y - 2],
  ];
  const head: Point[] = [
    ...slot.toReversed(),
    ...arc([x - 30, y + 12], 20, 14, 270, 180),
    ...arc([x, y], r, r, 163, 17),
    ...arc([x + 30, y + 12], 20, 14, 0, -90),
  ];
  return [
    shape(circle([x, y], r)),
    shape(head, BRASS) + hatch(head, { angle: 45, gap: 5 }),
    shape(visible) + hatch(visible, { angle: 90, gap: 4, reach: 0.7 }),
    shape(circle([x, y], r), 'none'),
    line(arc([x, y], r + 5, r + 5, 0, 100), FINE),
  ].join('');
}

export function drawScrewdriverSet(): string {
  const drivers = [
    [58, 226, 9.5, 2.2],
    [108, 244, 11, 2.8],
    [160, 262, 12.4, 3.5],
    [214, 282, 13.8, 4.4],
    [271, 304, 15.4, 5.6],
  ] as const;
  return plate(
    ...drivers.map(([y, length, r, blade]) => screwdriver(y, length, r, blade)),
    castShadow(40, 344),
    detail([400, 118], 58),
    line(points('356 262, 376 176'), HAIR),
    dimension([34, 324], [354, 324], '110'),
  );
}
