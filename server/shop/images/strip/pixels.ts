import { findMarker, marker } from './jpeg.ts';
import { detectFormat } from './strip.ts';

/** Segments before the size: tables and metadata. A large colour profile has about 60. */
const maxJpegSegments = 1_000;

/** Without a colour profile, an AVIF's `meta` box has a few hundred bytes, plus 60 per tile. */
const maxMetaBytes = 30_000;

/**
 * Width × height according to the headers, to estimate how long an image takes to decode. A file without a readable size
 * counts as the largest.
 */
export function countPixels(file: Uint8Array): number {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  try {
    return readPixels(bytes) ?? Number.MAX_SAFE_INTEGER;
  } catch {
    // The header points outside the file.
    return Number.MAX_SAFE_INTEGER;
  }
}

function readPixels(bytes: Buffer): number | undefined {
  switch (detectFormat(bytes)) {
    case 'png':
      // `stripPng` would remove any chunk before IHDR.
      if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
      return bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
    case 'gif':
      return bytes.readUInt16LE(6) * bytes.readUInt16LE(8);
    case 'jpeg':
      return readJpegPixels(bytes);
    case 'webp':
      return readWebpPixels(bytes);
    case 'heif':
      return readAvifPixels(bytes);
    default:
      return undefined;
  }
}

/** Finds segments exactly as `stripJpeg` does, so that the decoder sees the same size. */
function readJpegPixels(bytes: Buffer): number | undefined {
  let pixels: number | undefined;
  let at = findMarker(bytes, 2);
  for (let segment = 0; segment < maxJpegSegments && bytes[at + 1] !== marker.SOS; segment++) {
    const code = bytes[at + 1] ?? 0;
    if (code >= marker.SOF0 && code <= marker.SOF2)
      pixels = Math.max(pixels ?? 0, bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7));
    at = findMarker(bytes, at + 2 + bytes.readUInt16BE(at + 2));
  }
  return pixels;
}

function readWebpPixels(bytes: Buffer): number | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return (bytes.readUIntLE(24, 3) + 1) * (bytes.readUIntLE(27, 3) + 1);
    case 'VP8 ':
      return (bytes.readUInt16LE(26) & 0x3fff) * (bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const size = bytes.readUInt32LE(21);
      return ((size & 0x3fff) + 1) * (((size >> 14) & 0x3fff) + 1);
    }
    default:
      return undefined;
  }
}

/** The largest size in the `meta` box, which has the sizes of the image and its tiles. */
function readAvifPixels(bytes: Buffer): number | undefined {
  const metaAt = bytes.readUInt32BE(0);
  const metaBytes = bytes.readUInt32BE(metaAt);
  if (bytes.toString('latin1', metaAt + 4, metaAt + 8) !== 'meta' || metaBytes > maxMetaBytes)
    return undefined;
  const meta = bytes.subarray(metaAt, metaAt + metaBytes);
  let pixels: number | undefined;
  for (let at = meta.indexOf('ispe'); at >= 0; at = meta.indexOf('ispe', at + 4))
    pixels = Math.max(pixels ?? 0, meta.readUInt32BE(at + 8) * meta.readUInt32BE(at + 12));
  return pixels;
}
