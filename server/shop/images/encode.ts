import type { Metadata, OutputInfo, Sharp } from 'sharp';
import { ShopError } from '../../../contract/errors.ts';
import { type EncodedImage, imageWidths, nameByHash } from './addresses.ts';
import { damaged, notAnImage } from './errors.ts';
import { stripImage } from './strip/strip.ts';

const maxPixels = 40_000_000;

/** All that may be decoded; libvips knows many more formats, SVG with its external files among them. */
const loaders = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifBuffer',
  'VipsForeignLoadNsgifBuffer',
];

type SharpModule = typeof import('sharp').default;
let loaded: Promise<SharpModule> | undefined;

/** sharp costs start time and memory, so it comes with the first picture. */
function loadSharp(): Promise<SharpModule> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: loaders });
    return sharp;
  });
  return loaded;
}

/**
 * Converts a file to the shop's own images: JPEG, PNG, WebP, AVIF or GIF, recognized by its bytes alone; of an animation,
 * only the first frame. It is turned upright, converted to sRGB, stripped of all metadata and encoded as WebP in every
 * width. Throws `wrong_type` for what cannot be decoded and `too_large` over 40 megapixels (width × height × frames).
 * The server runs it in a separate process (`decoder.ts`).
 */
export async function encodeImage(file: Uint8Array): Promise<EncodedImage> {
  const { bytes, frames } = stripImage(file);
  const sharp = await loadSharp();
  judge(await readHeader(sharp, bytes), frames);
  return encode(sharp, await decode(sharp, bytes));
}

/**
 * Encodes a drawing of the shop's own, an SVG. For the build only: from then on this process decodes SVG.
 */
export async function encodeDrawing(svg: string): Promise<EncodedImage> {
  const sharp = await loadSharp();
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] });
  // 288 dots an inch draw it at four times its size, to be scaled down from.
  return encodeImage(await sharp(Buffer.from(svg), { density: 288 }).png().toBuffer());
}

async function readHeader(sharp: SharpModule, bytes: Uint8Array): Promise<Metadata> {
  try {
    // Without the limit, which is judged below with a message of its own; nothing is decoded here.
    return await sharp(bytes, { limitInputPixels: false }).metadata();
  } catch (cause) {
    throw notAnImage(cause);
  }
}

function judge({ format, compression, width, height, pages = 1 }: Metadata, frames: number): void {
  const all = Math.max(pages, frames);
  // HEIF is the container of AVIF and of HEIC alike.
  const taken =
    format === 'heif' ? compression === 'av1' : ['jpeg', 'png', 'webp', 'gif'].includes(String(format));
  if (!taken) throw notAnImage();
  // All frames of an animation count, although only the first is decoded.
  if (width * height * all > maxPixels) {
    throw new ShopError(
      'too_large',
      all > 1
        ? 'This animation is too large: its frames may have 40 megapixels together.'
        : `This picture is too large: ${width} × ${height} is more than 40 megapixels. Please save it smaller.`,
    );
  }
}

type Pixels = { data: Buffer; info: OutputInfo };

/**
 * Bare pixels stand between decoding and encoding: the file is decoded once, and nothing else of it can pass.
 */
async function decode(sharp: SharpModule, bytes: Uint8Array): Promise<Pixels> {
  try {
    return await shrink(sharp(bytes, { autoOrient: true, failOn: 'error', limitInputPixels: maxPixels }), 960)
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
  } catch (cause) {
    throw damaged(cause);
  }
}

async function encode(sharp: SharpModule, { data, info }: Pixels): Promise<EncodedImage> {
  const { width, height, channels } = info;
  const webp: Uint8Array[] = [];
  for (const wanted of imageWidths) {
    const pixels = sharp(data, { raw: { width, height, channels } });
    webp.push(await shrink(pixels, wanted).webp({ quality: 80, smartSubsample: true }).toBuffer());
  }
  return nameByHash(webp);
}

/** Never larger than it is; one over three times as tall as wide ends narrower, as WebP has a greatest height. */
function shrink(picture: Sharp, width: number): Sharp {
  return picture.resize({ width, height: width * 3, fit: 'inside', withoutEnlargement: true });
}
