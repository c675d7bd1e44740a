import { loadOnce } from '../../config/load-once.ts';

/** Left out of the server's bundle, because it supports a hundred kinds of barcodes. */
const loadEncoder = loadOnce(() => import('@bwip-js/node'));

/** Even, because the library rounds the centres of bars to whole pixels. */
const pixelsPerModule = 2;

/** Encodes each text as Code 128. Returns the widths, in modules, of its bars and spaces, starting with a bar. */
export async function encodeBarcodes(texts: readonly string[]): Promise<number[][]> {
  const { code128, drawingSVG } = await loadEncoder();
  return texts.map((text) => {
    const bars: { x: number; width: number }[] = [];
    const drawing = {
      ...drawingSVG(),
      scale: (): [number, number] => [pixelsPerModule, pixelsPerModule],
      // Each bar is a vertical line, and `x` its centre.
      line(x: number, _y0: number, _x1: number, _y1: number, width: number) {
        bars.push({ x: (x - width / 2) / pixelsPerModule, width: width / pixelsPerModule });
      },
      end: () => bars.sort((one, other) => one.x - other.x),
    };
    return toWidths(code128({ bcid: 'code128', text }, drawing));
  });
}

function toWidths(bars: { x: number; width: number }[]): number[] {
  const [first, ...others] = bars;
  if (!first) return [];
  const widths = [first.width];
  let end = first.x + first.width;
  for (const { x, width } of others) {
    widths.push(x - end, width);
    end = x + width;
  }
  return widths;
}
