import { damaged, notAnImage } from '../refusals.ts';
import { stripAvif } from './avif.ts';
import { stripGif } from './gif.ts';
import { stripJpeg } from './jpeg.ts';
import { stripPng } from './png.ts';
import { stripWebp } from './webp.ts';

/**
 * What a decoder needs of an image file: pixels, colours and orientation. Everything else is a way to occupy memory or
 * time before a pixel is read. `frames` counts those of the original. Throws `wrong_type` for other files, and for
 * structures over the limits in `limits.ts`; reads no pixels and takes time in proportion to the file's size.
 */
export function stripImage(file: Uint8Array): { bytes: Buffer; frames: number } {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  try {
    switch (recognize(bytes)) {
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
    // A length or an offset that leads out of the file.
    throw error instanceof RangeError ? damaged(error) : error;
  }
}

/** The format that a file's first bytes name; `heif` is the container of AVIF. */
export function recognize(file: Uint8Array): 'png' | 'jpeg' | 'gif' | 'webp' | 'heif' | undefined {
  const head = Buffer.from(file.subarray(0, 16)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  if (/^RIFF.{4}WEBP/s.test(head)) return 'webp';
  return head.startsWith('ftyp', 4) ? 'heif' : undefined;
}
