const orientationTag = 0x0112;

/**
 * Reduces EXIF (a TIFF structure, sometimes prefixed by `Exif\0\0`) to the orientation. Returns undefined if the image is
 * upright or has no orientation.
 */
export function reduceToOrientation(exif: Buffer): Buffer | undefined {
  const hasPrefix = exif.toString('latin1', 0, 6) === 'Exif\0\0';
  const orientation = readOrientation(hasPrefix ? exif.subarray(6) : exif);
  if (orientation < 2 || orientation > 8) return undefined;
  const reduced = Buffer.alloc(26);
  reduced.write('II*\0', 'latin1');
  reduced.writeUInt32LE(8, 4);
  reduced.writeUInt16LE(1, 8);
  reduced.writeUInt16LE(orientationTag, 10);
  reduced.writeUInt16LE(3, 12);
  reduced.writeUInt32LE(1, 14);
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
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + entry * 12;
    if (read16(at) === orientationTag) return read16(at + 8);
  }
  return 0;
}
