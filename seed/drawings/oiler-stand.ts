import { ellipse, move, points } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, BRASS, line, plate, shape } from './pen.ts';
import { castShadow } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

const TILT = 0.3;

/** An oiler hung from the rack, tip down: knob, handle, wire and the flattened spade at its end. */
function oiler(x: number, top: number, wire: number): string {
  const end = top + 96 + 54;
  const spade = move(points('-1 -2, -3.4 6, -2.4 11, 0 14, 2.4 11, 3.4 6, 1 -2'), [x, end]);
  return (
    line(
      [
        [x, top + 96],
        [x, end],
      ],
      wire,
    ) +
    shape(spade) +
    turned([x, top], 90, 0, [
      bulge(14, [3, 7.6, 8.6, 7.6, 4]),
      collar(60, 6.4, { surface: 'fluted' }),
      collar(8, 7.4, { brass: true }),
      rod(16, 6, 2.2),
    ])
  );
}

export function drawOilerStand(): string {
  const cup = (x: number, y: number, r: number) =>
    turned([x, y - TILT * r], -90, TILT, [rod(20, r, r, { brass: true }), rod(5, r - 5)]) +
    shape(ellipse([x, y - TILT * r - 25], r - 11, (r - 11) * TILT), BRASS, 1.4) +
    line(
      [
        [x - r + 16, y - TILT * r - 24],
        [x + r - 18, y - TILT * r - 24],
      ],
      1,
    );
  return plate(
    castShadow(100, 330),
    turned([200, BENCH - 28], -90, TILT, [rod(13, 92), rod(2, 92, 89)]),
    turned([200, BENCH - 50], -90, TILT, [collar(10, 18, { brass: true }), rod(150, 7)]),
    oiler(142, 66, 1.6),
    oiler(258, 66, 3),
    turned([200, 122], -90, TILT, [rod(11, 78, 78, { brass: true })]),
    turned([200, 106], -90, TILT, [rod(8, 10), bulge(26, [6, 13, 15, 11, 3])]),
    oiler(172, 84, 2),
    oiler(228, 84, 2.4),
    castShadow(362, 420),
    cup(386, BENCH, 40),
    dimension([54, BENCH], [54, 72], '115'),
  );
}
