import { move, points } from './curves.ts';
import { dimension } from './lettering.ts';
import { FINE, line, type Point, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { bulge, collar, turned } from './turned.ts';

/** A flat of hardened steel in a handle, lying at an angle; the file's cut or the burnisher's fine cross-grain. */
function flat(at: Point, degrees: number, cut: 'file' | 'burnisher'): string {
  const put = (points: readonly Point[]) => move(points, at, degrees);
  const face = put(points('150 -11, 360 -11, 366 -8, 366 9, 150 9'));
  const edge = put(points('150 9, 366 9, 366 15, 360 15, 150 15'));
  const tang = put(points('118 -6, 138 -6, 150 -11, 150 15, 138 9, 118 9'));
  const working = put(points('196 -11, 360 -11, 366 -8, 366 9, 196 9'));
  return [
    shape(tang) + hatch(tang, { angle: degrees, gap: 3.6, reach: 0.7 }),
    shape(face),
    cut === 'file'
      ? hatch(working, { angle: degrees + 62, gap: 3.2, width: 0.9 }) +
        hatch(working, { angle: degrees + 118, gap: 5 })
      : hatch(working, { angle: degrees + 90, gap: 4.2, width: 0.8 }),
    shape(edge) + hatch(edge, { angle: degrees, gap: 2.8, width: 1.1 }),
    line(put(points('196 -11, 196 15')), FINE),
    turned(move([[0, 2]], at, degrees)[0] ?? at, degrees, 0, [
      bulge(112, [9, 19, 21, 18, 15, 14, 17, 16], { surface: 'wooden' }),
      collar(20, 14, { brass: true }),
    ]),
  ].join('');
}

export function drawPivotBurnisher(): string {
  return plate(
    flat([52, 214], -24, 'file'),
    flat([92, 272], -24, 'burnisher'),
    castShadow(96, 136),
    dimension([110, 326], [444, 177], '190'),
  );
}
