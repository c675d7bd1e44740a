import { loadOnce } from '../../config/load-once.ts';

/** The package that also draws the barcodes of packing slips: see `server/shop/printing/barcode.ts`. */
const loadEncoder = loadOnce(() => import('@bwip-js/node'));

/** Encodes a text as a QR code: an SVG path with the fill rule `evenodd` in a square from 0 to `size`. */
export async function encodeQrCode(text: string): Promise<{ path: string; size: number }> {
  const { drawingSVG, qrcode } = await loadEncoder();
  let [path, size] = ['', 0];
  const drawing = {
    ...drawingSVG(),
    init(width: number) {
      size = width;
    },
    polygon(points: [number, number][]) {
      path += `M${points.map((point) => point.join(' ')).join('L')}Z`;
    },
    fill() {},
    end: () => ({ path, size }),
  };
  return qrcode({ bcid: 'qrcode', text, scale: 1 }, drawing);
}
