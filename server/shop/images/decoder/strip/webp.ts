import { damaged } from '../rejections.ts';
import { maxProfileBytes, reduceToOrientation, startCopy } from './kept-parts.ts';

const keptChunks = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L', 'EXIF']);
const profileFlag = 0x20;
const exifFlag = 0x08;
const xmpFlag = 0x04;

/** Keeps the image, or the first frame of an animation, without XMP and unknown chunks. */
export function stripWebp(webp: Buffer): { bytes: Buffer; frames: number } {
  const copy = startCopy(webp.length + 100);
  copy.add(webp.subarray(0, 12));
  const seen = new Set<string>();
  let frames = 0;
  const end = Math.min(webp.length, webp.readUInt32LE(4) + 8);
  for (let at = 12; at + 8 <= end; ) {
    const type = webp.toString('latin1', at, at + 4);
    const dataEnd = at + 8 + webp.readUInt32LE(at + 4);
    if (dataEnd > webp.length) throw damaged();
    const next = dataEnd + (dataEnd % 2);
    if (type === 'ANMF') frames += 1;
    if (keptChunks.has(type) && !seen.has(type)) {
      const replaced = replace(type, webp.subarray(at, next));
      if (replaced) {
        copy.add(replaced);
        seen.add(type);
      }
    }
    at = next;
  }
  const bytes = copy.bytes();
  if (seen.has('VP8X')) {
    const flags = (bytes[20] ?? 0) & ~(profileFlag | exifFlag | xmpFlag);
    bytes[20] = flags | (seen.has('ICCP') ? profileFlag : 0) | (seen.has('EXIF') ? exifFlag : 0);
  }
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return { bytes, frames: Math.max(frames, 1) };
}

export function countWebpPixels(webp: Buffer): number | undefined {
  const type = webp.toString('latin1', 12, 16);
  if (type === 'VP8X') return (webp.readUIntLE(24, 3) + 1) * (webp.readUIntLE(27, 3) + 1);
  if (type === 'VP8 ') return (webp.readUInt16LE(26) & 0x3fff) * (webp.readUInt16LE(28) & 0x3fff);
  if (type !== 'VP8L') return undefined;
  const size = webp.readUInt32LE(21);
  return ((size & 0x3fff) + 1) * (((size >> 14) & 0x3fff) + 1);
}

function replace(type: string, chunk: Buffer): Buffer | undefined {
  if (type === 'ICCP') return chunk.length > maxProfileBytes ? undefined : chunk;
  if (type !== 'EXIF') return chunk;
  const exif = reduceToOrientation(chunk.subarray(8));
  if (!exif) return undefined;
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(exif.length, 4);
  return Buffer.concat([head, exif]);
}
