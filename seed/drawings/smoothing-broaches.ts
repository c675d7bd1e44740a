import { move } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, plate } from './pen.ts';
import { castShadow } from './shading.ts';
import { bulge, collar, rod, turned } from './turned.ts';

/** A broach standing in a fan: tapered round steel without an edge, in a wooden handle. */
function broach(spread: number, r: number, length: number): string {
  const [foot = [0, 0]] = move([[0, -96]], [238, BENCH + 78], spread * 0.98);
  return turned(foot, spread - 90, 0, [
    bulge(78, [7, 10, 11.4, 10.6, 8.6, 7.4, 8.4], { surface: 'wooden' }),
    collar(10, 7.4, { brass: true }),
    rod(length, r, r * 0.4),
    rod(2, r * 0.4, 0.6),
  ]);
}

export function drawSmoothingBroaches(): string {
  return plate(
    castShadow(180, 300),
    ...(
      [
        [-38, 2.2, 140],
        [-23, 2.8, 143],
        [-8, 3.4, 146],
        [8, 4.2, 149],
        [23, 5, 152],
        [38, 6, 155],
      ] as const
    ).map(([spread, r, length]) => broach(spread, r, length)),
    dimension([9, 134], [150, 314], '95'),
  );
}
