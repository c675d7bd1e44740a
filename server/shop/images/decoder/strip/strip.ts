import { damaged, notAnImage } from '../rejections.ts';
import { countAvifPixels, stripAvif } from './avif.ts';
import { countGifPixels, stripGif } from './gif.ts';
import { countJpegPixels, stripJpeg } from './jpeg.ts';
import { countPngPixels, stripPng } from './png.ts';
import { countWebpPixels, stripWebp } from './webp.ts';

type Format = {
  /** `frames` is the frame count of the original, if there can be several. */
  strip: (file: Buffer) => { bytes: Buffer; frames?: number };
  countPixels: (file: Buffer) => number | undefined;
};

const formats = {
  png: { strip: stripPng, countPixels: countPngPixels },
  jpeg: { strip: stripJpeg, countPixels: countJpegPixels },
  gif: { strip: stripGif, countPixels: countGifPixels },
  webp: { strip: stripWebp, countPixels: countWebpPixels },
  heif: { strip: stripAvif, countPixels: countAvifPixels },
} satisfies Record<string, Format>;

/**
 * Reduces an image file to what a decoder needs: pixels, colours and orientation. Anything else could cost the decoder
 * memory or time. Throws `wrong_type` for other files and for structures over the limits. Decodes no pixels, and takes time
 * proportional to the file's size.
 */
export function stripImage(file: Uint8Array): ReturnType<Format['strip']> {
  const format = detectFormat(file);
  if (!format) throw notAnImage();
  try {
    return formats[format].strip(toBuffer(file));
  } catch (error) {
    // A length or an offset points outside the file.
    throw error instanceof RangeError ? damaged(error) : error;
  }
}

/** Width × height in the headers, to estimate decoding time. A file without a readable size counts as the largest. */
export function countPixels(file: Uint8Array): number {
  const format = detectFormat(file);
  try {
    return (format && formats[format].countPixels(toBuffer(file))) ?? Number.MAX_SAFE_INTEGER;
  } catch {
    // The header points outside the file.
    return Number.MAX_SAFE_INTEGER;
  }
}

/** The format according to a file's first bytes; `heif` is the container of AVIF. */
export function detectFormat(file: Uint8Array): keyof typeof formats | undefined {
  const head = Buffer.from(file.subarray(0, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  if (/^RIFF.{4}WEBP/s.test(head)) return 'webp';
  return head.startsWith('ftyp', 4) ? 'heif' : undefined;
}

const toBuffer = (file: Uint8Array): Buffer => Buffer.from(file.buffer, file.byteOffset, file.byteLength);
