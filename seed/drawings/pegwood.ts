import { ellipse, points, smooth } from './curves.ts';
import { dimension } from './lettering.ts';
import { BENCH, HAIR, line, plate, shape } from './pen.ts';
import { castShadow, hatch } from './shading.ts';
import { rod, turned } from './turned.ts';

/** A stick from its sawn end upwards, cut to a point with the knife. */
const stick = (x: number, foot: number, lean: number) =>
  turned([x, foot], lean - 90, 0.2, [rod(212, 8.6, 8.6, { surface: 'wooden' }), rod(30, 8.6, 1.4)]);

export function drawPegwood(): string {
  const back = [196, 214, 232, 250, 268].map((x, index) => stick(x, BENCH - 10, (index - 2) * 2.2));
  const front = [188, 206, 224, 242, 260, 278].map((x, index) => stick(x, BENCH - 2, (index - 2.5) * 2.2));
  const bow = smooth(
    points('234 172, 252 150, 276 152, 270 166, 236 173, 214 152, 194 156, 202 168, 233 173'),
  );
  return plate(
    castShadow(178, 290),
    ...back,
    ...front,
    // Waxed thread, three turns and a bow.
    ...[0, 5, 10].map((drop) =>
      line(
        smooth(
          points(
            `171 ${168 + drop}, 200 ${174 + drop}, 234 ${176 + drop}, 270 ${174 + drop}, 296 ${168 + drop}`,
          ),
        ),
        2,
      ),
    ),
    line(bow, 2),
    line(smooth(points('234 174, 246 196, 250 214')), 2),
    line(smooth(points('233 174, 222 194, 224 210')), 2),
    // One lies before the bundle, its point sharpened anew.
    castShadow(326, 444),
    turned([318, BENCH - 8], 0, 0, [rod(96, 8.6, 8.6, { surface: 'wooden' }), rod(28, 8.6, 1.2)]),
    shape(ellipse([318, BENCH - 8], 2.2, 8.6)),
    hatch(ellipse([318, BENCH - 8], 2.2, 8.6), { angle: 90, gap: 2, width: HAIR }),
    dimension([128, BENCH], [128, 38], '150'),
  );
}
