import type { Metadata, OutputInfo, Sharp } from 'sharp';
import { ShopError } from '../../../../contract/errors.ts';
import { loadOnce } from '../../../config/load-once.ts';
import { damaged, notAnImage } from './rejections.ts';

/**
 * The widths, in pixels, in which images are stored. The fourth is only for images that are wider than the third. Images are never
 * enlarged: a narrower image is stored at its own width.
 */
export const imageWidths = [240, 480, 960, 1600] as const;
const [, , wide, widest] = imageWidths;

const maxPixels = 40_000_000;

/** The only loaders allowed. libvips has many more, such as SVG, which can read external files. */
const allowedLoaders = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifBuffer',
  'VipsForeignLoadNsgifBuffer',
];

type SharpModule = typeof import('sharp').default;

/** Loaded with the first image, because it costs start time and memory. */
const loadSharp = loadOnce(async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: allowedLoaders });
  return sharp;
});

/**
 * Converts a JPEG, PNG, WebP, AVIF or GIF file, detected by its bytes alone, to WebP in the order of `imageWidths`. Applies
 * the orientation, converts to sRGB, drops all metadata and all frames but the first. Throws `wrong_type` if the file cannot
 * be decoded, and `too_large` over 40 megapixels (width × height × frames). The server runs it in a separate process
 * (`decoder.ts`).
 */
export async function encodeImage(file: Uint8Array): Promise<Uint8Array[]> {
  const sharp = await loadSharp();
  checkMetadata(await readMetadata(sharp, file));
  const { data, info } = await decode(sharp, file);
  const { width, height, channels } = info;
  const webp: Uint8Array[] = [];
  for (const maxWidth of imageWidths) {
    if (maxWidth === widest && width <= wide) continue;
    const pixels = sharp(data, { raw: { width, height, channels } });
    webp.push(await shrink(pixels, maxWidth).webp({ quality: 80, smartSubsample: true }).toBuffer());
  }
  return webp;
}

async function readMetadata(sharp: SharpModule, file: Uint8Array): Promise<Metadata> {
  try {
    // Nothing is decoded here. `checkMetadata` enforces the limit, with a clearer message.
    return await sharp(file, { limitInputPixels: false }).metadata();
  } catch (cause) {
    throw notAnImage(cause);
  }
}

function checkMetadata({ format, compression, width, height, pages = 1 }: Metadata): void {
  // HEIF is the container of both AVIF and HEIC.
  const isSupported =
    format === 'heif' ? compression === 'av1' : ['jpeg', 'png', 'webp', 'gif'].includes(String(format));
  if (!isSupported) throw notAnImage();
  // All frames of an animation count, although only the first is decoded.
  if (width * height * pages <= maxPixels) return;
  const detail =
    pages > 1
      ? 'This animation is too large: its frames have more than 40 megapixels in total.'
      : `This image is too large: ${width} × ${height} is more than 40 megapixels. Please save it smaller.`;
  throw new ShopError('too_large', detail);
}

/** Decodes to raw pixels, so that the file is decoded once and nothing else in it reaches the encoder. */
async function decode(sharp: SharpModule, file: Uint8Array): Promise<{ data: Buffer; info: OutputInfo }> {
  try {
    return await shrink(
      sharp(file, { autoOrient: true, failOn: 'error', limitInputPixels: maxPixels }),
      widest,
    )
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
  } catch (cause) {
    throw damaged(cause);
  }
}

/** Never enlarges. Limits the height to three times `width`, because WebP has a maximum height. */
function shrink(image: Sharp, width: number): Sharp {
  return image.resize({ width, height: width * 3, fit: 'inside', withoutEnlargement: true });
}
