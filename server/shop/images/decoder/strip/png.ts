import { crc32, inflateSync } from 'node:zlib';
import { damaged } from '../rejections.ts';
import { maxProfileBytes, reduceToOrientation, startCopy } from './kept-parts.ts';

/** The chunks that determine pixels and colours. */
const keptChunks = new Set('IHDR PLTE tRNS gAMA cHRM sRGB cICP iCCP eXIf IDAT IEND'.split(' '));

/** Removes text, comments, animation and all other chunks. */
export function stripPng(png: Buffer): { bytes: Buffer } {
  const copy = startCopy(png.length + 100);
  copy.add(png.subarray(0, 8));
  const seen = new Set<string>();
  for (let at = 8; ; ) {
    if (at + 12 > png.length) throw damaged();
    const end = at + 12 + png.readUInt32BE(at);
    if (end > png.length) throw damaged();
    const type = png.toString('latin1', at + 4, at + 8);
    if (keptChunks.has(type) && (type === 'IDAT' || !seen.has(type))) {
      seen.add(type);
      const replaced = replace(type, png.subarray(at, end));
      if (replaced) copy.add(replaced);
    }
    if (type === 'IEND') return { bytes: copy.bytes() };
    at = end;
  }
}

/** Undefined if the header does not come first: `stripPng` would remove the chunks before it. */
export function countPngPixels(png: Buffer): number | undefined {
  const isHeader = png.toString('latin1', 12, 16) === 'IHDR';
  return isHeader ? png.readUInt32BE(16) * png.readUInt32BE(20) : undefined;
}

function replace(type: string, chunk: Buffer): Buffer | undefined {
  const data = chunk.subarray(8, -4);
  if (type === 'eXIf') {
    const exif = reduceToOrientation(data);
    return exif && makeChunk('eXIf', exif);
  }
  return type === 'iCCP' && !isSmallProfile(data) ? undefined : chunk;
}

/** An iCCP chunk has a name, a NUL, the compression method, then zlib data. */
function isSmallProfile(data: Buffer): boolean {
  try {
    inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: maxProfileBytes });
    return true;
  } catch {
    return false;
  }
}

/** A chunk with its length and CRC (PNG specification, 5.3). */
export function makeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}
