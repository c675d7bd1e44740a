import { damaged, notAnImage } from '../errors.ts';
import { stripAvif } from './avif.ts';
import { stripGif } from './gif.ts';
import { stripJpeg } from './jpeg.ts';
import { stripPng } from './png.ts';
import { stripWebp } from './webp.ts';

/**
 * Reduces an image file to what a decoder needs: pixels, colours and orientation. Anything else could cost the decoder
 * memory or time. `frames` is the frame count of the original. Throws `wrong_type` for other files and for structures over
 * the limits in `limits.ts`. Decodes no pixels, and takes time proportional to the file's size.
 */
export function stripImage(file: Uint8Array): { bytes: Buffer; frames: number } {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  try {
    switch (detectFormat(bytes)) {
      case 'png':
        return { bytes: stripPng(bytes), frames: 1 };
      case 'jpeg':
        return { bytes: stripJpeg(bytes), frames: 1 };
      case 'gif':
        return stripGif(bytes);
      case 'webp':
        return stripWebp(bytes);
      case 'heif':
        return { bytes: stripAvif(bytes), frames: 1 };
      default:
        throw notAnImage();
    }
  } catch (error) {
    // A length or an offset points outside the file.
    throw error instanceof RangeError ? damaged(error) : error;
  }
}

/** The format according to a file's first bytes; `heif` is the container of AVIF. */
export function detectFormat(file: Uint8Array): 'png' | 'jpeg' | 'gif' | 'webp' | 'heif' | undefined {
  const head = Buffer.from(file.subarray(0, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  if (/^RIFF.{4}WEBP/s.test(head)) return 'webp';
  return head.startsWith('ftyp', 4) ? 'heif' : undefined;
}
