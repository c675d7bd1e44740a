/** Printer profiles have up to 3 MB, screen profiles a few KB. Without its larger profile, an image is read as sRGB. */
export const maxProfileBytes = 4_000_000;

const orientationTag = 0x0112;

/** Collects parts of a file in one buffer of `maxBytes`. A list of a million parts would need more memory than the file. */
export function startCopy(maxBytes: number) {
  const buffer = Buffer.allocUnsafe(maxBytes);
  let end = 0;
  return {
    add(part: Uint8Array): void {
      buffer.set(part, end);
      end += part.length;
    },
    bytes: () => buffer.subarray(0, end),
  };
}

/**
 * Reduces EXIF (a TIFF structure, sometimes prefixed by `Exif\0\0`) to the orientation. Returns undefined if the image is
 * upright or has no orientation.
 */
export function reduceToOrientation(exif: Buffer): Buffer | undefined {
  const hasPrefix = exif.toString('latin1', 0, 6) === 'Exif\0\0';
  const orientation = readOrientation(hasPrefix ? exif.subarray(6) : exif);
  if (orientation < 2 || orientation > 8) return undefined;
  // One little-endian entry at offset 8: tag 0x0112, type 3 (16 bits), one value, the value.
  const reduced = Buffer.from('II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\0\0\0\0\0\0\0\0', 'latin1');
  reduced.writeUInt16LE(orientation, 18);
  return reduced;
}

function readOrientation(exif: Buffer): number {
  const isLittle = exif.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number) =>
    at + 2 > exif.length ? 0 : exif[isLittle ? 'readUInt16LE' : 'readUInt16BE'](at);
  if (exif.length < 8) return 0;
  const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
  const entries = read16(directory);
  // The file may claim more entries than it has, in thousands of segments.
  const end = Math.min(directory + 2 + entries * 12, exif.length);
  for (let at = directory + 2; at < end; at += 12) if (read16(at) === orientationTag) return read16(at + 8);
  return 0;
}
