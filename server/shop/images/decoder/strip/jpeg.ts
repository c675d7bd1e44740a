import { damaged, tooComplex } from '../rejections.ts';
import { maxProfileBytes, reduceToOrientation, startCopy } from './kept-parts.ts';

const marker = { SOF0: 0xc0, SOF2: 0xc2, DHT: 0xc4, SOF15: 0xcf, EOI: 0xd9, SOS: 0xda, DQT: 0xdb, DRI: 0xdd };

/** The code that `readSegments` gives to a scan's data, which has no marker. */
const scanData = 0;

const isFrameHeader = (code: number): boolean => code >= marker.SOF0 && code <= marker.SOF2;
const isPartOfImage = (code: number): boolean =>
  isFrameHeader(code) || [marker.DHT, marker.DQT, marker.DRI, marker.EOI, scanData].includes(code);

/** Progressive JPEG encoders write about 10 scans, at most about 20. */
const maxScans = 100;

/** Each scan visits every pixel, however little data it has. This allows 30 scans of 40 megapixels. */
const maxScannedPixels = 1_200_000_000;

/** Segments before the size: tables and metadata. A large colour profile has about 60. */
const maxSegmentsBeforeSize = 1_000;

/**
 * Removes comments, application data and everything after the image. Throws `wrong_type` if there are enough scans to
 * block the decoder, and for lossless, hierarchical and arithmetic JPEG, which browsers cannot show.
 */
export function stripJpeg(jpeg: Buffer): { bytes: Buffer } {
  const copy = startCopy(jpeg.length + 100);
  copy.add(jpeg.subarray(0, 2));
  const seen = new Set<string>();
  const addOnce = (name: string, segment: Uint8Array) => {
    if (!seen.has(name)) copy.add(segment);
    seen.add(name);
  };
  let profile: Buffer[] = [];
  let profileBytes = 0;
  let pixels = 0;
  let scans = 0;
  for (const { code, segment } of readSegments(jpeg)) {
    const name = segment.toString('latin1', 4, 16);
    if (isFrameHeader(code)) pixels = readPixels(segment);
    if (isPartOfImage(code)) copy.add(segment);
    else if (code > marker.SOF2 && code <= marker.SOF15) throw tooComplex();
    else if (code === 0xe0 && name.startsWith('JFIF\0')) addOnce('JFIF', segment);
    else if (code === 0xee && name.startsWith('Adobe')) addOnce('Adobe', segment);
    else if (code === 0xe1 && name.startsWith('Exif\0\0')) {
      const exif = reduceToOrientation(segment.subarray(10));
      if (exif) addOnce('Exif', makeExifSegment(exif));
    } else if (code === 0xe2 && name.startsWith('ICC_PROFILE\0')) {
      profileBytes += segment.length;
      if (profileBytes <= maxProfileBytes) profile.push(segment);
      else profile = [];
    } else if (code === marker.SOS) {
      scans += 1;
      if (scans > maxScans || scans * pixels > maxScannedPixels) throw tooComplex();
      for (const part of profile.splice(0)) copy.add(part);
      copy.add(segment);
    }
  }
  return { bytes: copy.bytes() };
}

/** The largest size before the first scan. */
export function countJpegPixels(jpeg: Buffer): number | undefined {
  let pixels: number | undefined;
  for (const { code, segment } of readSegments(jpeg).take(maxSegmentsBeforeSize)) {
    if (code === marker.SOS) break;
    if (isFrameHeader(code)) pixels = Math.max(pixels ?? 0, readPixels(segment));
  }
  return pixels;
}

const readPixels = (size: Buffer): number => size.readUInt16BE(5) * size.readUInt16BE(7);

/** The segments up to the end of the image. After each SOS comes its scan's data. Throws `wrong_type` if one is cut off. */
function* readSegments(jpeg: Buffer): Generator<{ code: number; segment: Buffer }> {
  for (let at = findMarker(jpeg, 2); at < jpeg.length; ) {
    const code = jpeg[at + 1] ?? 0;
    if (code === marker.EOI) return yield { code, segment: jpeg.subarray(at, at + 2) };
    if (at + 4 > jpeg.length) throw damaged();
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (end > jpeg.length || end < at + 4) throw damaged();
    yield { code, segment: jpeg.subarray(at, end) };
    at = findMarker(jpeg, end);
    if (code === marker.SOS) yield { code: scanData, segment: jpeg.subarray(end, at) };
  }
}

/** The position of the next marker, or the end of the file. Skips stuffed 0xFF bytes, restart markers and fill bytes. */
function findMarker(jpeg: Buffer, from: number): number {
  for (let at = from; at + 1 < jpeg.length; at++) {
    if (jpeg[at] !== 0xff) continue;
    const code = jpeg[at + 1] ?? 0;
    if (code > 1 && code !== 0xff && (code < 0xd0 || code > 0xd8)) return at;
  }
  return jpeg.length;
}

function makeExifSegment(exif: Buffer): Buffer {
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1');
  head.writeUInt16BE(exif.length + 8, 2);
  return Buffer.concat([head, exif]);
}
