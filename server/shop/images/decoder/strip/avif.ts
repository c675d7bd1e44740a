import { damaged, notAnImage, tooComplex } from '../rejections.ts';
import { maxProfileBytes } from './kept-parts.ts';

/** Boxes and items. A photograph has about 20 and 5, a tiled one a few hundred. */
const maxBoxes = 5_000;
const maxItems = 1_000;

/** All items together. Items may share bytes, so this can exceed the file's size. */
const maxItemBytes = 32_000_000;

/** For `countAvifPixels`. Without a colour profile, the box has a few hundred bytes, plus 60 per tile. */
const maxMetaBytes = 30_000;

type Box = { type: string; at: number; body: number; end: number };

/** The image, its tiles and its metadata. AVIF needs no others (overlays, derived copies, other codecs). */
const itemTypes = new Set(['av01', 'grid', 'tmap', 'Exif', 'mime', 'uri ']);

/**
 * Hides EXIF, XMP, sequences and large colour profiles from the decoder. Boxes keep their positions, because the file
 * contains offsets. Throws `wrong_type` if the file has more boxes, items or item bytes than a photograph needs. AVIF
 * stores the orientation as a property of the image, not in EXIF.
 */
export function stripAvif(file: Buffer): { bytes: Buffer } {
  const avif = Buffer.from(file);
  const read = createBoxReader(avif);
  const hide = ({ at }: Box) => avif.write('free', at + 4, 'latin1');

  const top = read(0, avif.length);
  const [first] = top;
  if (!isAvif(avif, first)) throw notAnImage();
  const [meta, ...others] = top.filter(({ type }) => type === 'meta');
  if (!meta || others.length > 0) throw damaged();
  for (const box of top) if (box.type === 'moov') hide(box);

  for (const box of read(meta.body + 4, meta.end)) {
    if (box.type === 'iinf') checkItems(avif, read(box.body + (avif[box.body] === 0 ? 6 : 8), box.end));
    else if (box.type === 'iloc') checkItemBytes(avif, box);
    // References of type `cdsc` attach metadata to an image.
    else if (box.type === 'iref')
      for (const reference of read(box.body + 4, box.end)) {
        if (reference.type === 'cdsc') hide(reference);
      }
    else if (box.type === 'iprp')
      for (const container of read(box.body, box.end)) {
        if (container.type !== 'ipco') continue;
        for (const property of read(container.body, container.end)) {
          if (property.type === 'colr' && property.end - property.body > maxProfileBytes) hide(property);
        }
      }
  }
  return { bytes: avif };
}

/** The largest size in the `meta` box, which has the sizes of the image and its tiles. */
export function countAvifPixels(avif: Buffer): number | undefined {
  const metaAt = avif.readUInt32BE(0);
  const metaBytes = avif.readUInt32BE(metaAt);
  if (avif.toString('latin1', metaAt + 4, metaAt + 8) !== 'meta' || metaBytes > maxMetaBytes)
    return undefined;
  const meta = avif.subarray(metaAt, metaAt + metaBytes);
  let pixels: number | undefined;
  for (let at = meta.indexOf('ispe'); at >= 0; at = meta.indexOf('ispe', at + 4))
    pixels = Math.max(pixels ?? 0, meta.readUInt32BE(at + 8) * meta.readUInt32BE(at + 12));
  return pixels;
}

function isAvif(avif: Buffer, first: Box | undefined): boolean {
  if (first?.type !== 'ftyp') return false;
  // The major brand, its version, then the compatible brands.
  const brands = avif.toString('latin1', first.body, Math.min(first.end, first.body + 200)).match(/.{4}/gs);
  return brands?.some((brand) => brand === 'avif' || brand === 'avis') ?? false;
}

/** Reads consecutive boxes, at most `maxBoxes` in all reads together. */
function createBoxReader(avif: Buffer) {
  let count = 0;
  return (from: number, to: number): Box[] => {
    const boxes: Box[] = [];
    for (let at = from; at + 8 <= to; ) {
      const short = avif.readUInt32BE(at);
      const type = avif.toString('latin1', at + 4, at + 8);
      const size = short === 0 ? to - at : short === 1 ? Number(avif.readBigUInt64BE(at + 8)) : short;
      const body = at + (short === 1 ? 16 : 8);
      const end = at + size;
      if (end > to || end < body) throw damaged();
      count += 1;
      if (count > maxBoxes) throw tooComplex();
      boxes.push({ type, at, body, end });
      at = end;
    }
    return boxes;
  };
}

function checkItems(avif: Buffer, entries: Box[]): void {
  if (entries.length > maxItems) throw tooComplex();
  for (const { body, end } of entries) {
    const version = avif[body];
    const typeAt = body + (version === 3 ? 10 : 8);
    const type = avif.toString('latin1', typeAt, Math.min(typeAt + 4, end));
    if ((version !== 2 && version !== 3) || !itemTypes.has(type)) throw tooComplex();
  }
}

/** Limits the bytes of all items together: an item may refer to the same bytes many times. */
function checkItemBytes(avif: Buffer, { body }: Box): void {
  const version = avif[body] ?? 0;
  const sizes = avif.readUInt16BE(body + 4);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  const idSize = version < 2 ? 2 : 4;
  const items = avif.readUIntBE(body + 6, idSize);
  if (items > maxItems) throw tooComplex();
  let at = body + 6 + idSize;
  let total = 0;
  for (let item = 0; item < items; item++) {
    at += idSize + (version === 0 ? 0 : 2) + 2 + baseSize;
    const extents = avif.readUInt16BE(at);
    at += 2;
    for (let extent = 0; extent < extents; extent++) {
      at += indexSize + offsetSize;
      // Without a length, an extent covers the file.
      total += readNumber(avif, at, lengthSize) || avif.length;
      at += lengthSize;
      if (total > maxItemBytes) throw tooComplex();
    }
  }
}

function readNumber(avif: Buffer, at: number, size: number): number {
  if (size === 0) return 0;
  return size === 8 ? Number(avif.readBigUInt64BE(at)) : avif.readUIntBE(at, size);
}
