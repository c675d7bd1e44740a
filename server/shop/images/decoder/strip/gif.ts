import { damaged } from '../rejections.ts';
import { startCopy } from './kept-parts.ts';

/** Keeps only the first frame, without comments and other extensions. */
export function stripGif(gif: Buffer): { bytes: Buffer; frames: number } {
  const copy = startCopy(gif.length + 1);
  let at = 13 + colourTableBytes(gif[10]);
  copy.add(gif.subarray(0, at));
  let frames = 0;
  while (gif[at] === 0x21 || gif[at] === 0x2c) {
    const isFrame = gif[at] === 0x2c;
    // Before its blocks, a frame has a header, an optional colour table and a code size; an extension has a label.
    const end = skipBlocks(gif, isFrame ? at + 11 + colourTableBytes(gif[at + 9]) : at + 2);
    const isGraphicControl = !isFrame && gif[at + 1] === 0xf9;
    if (frames === 0 && (isFrame || isGraphicControl)) copy.add(gif.subarray(at, end));
    if (isFrame) frames += 1;
    at = end;
  }
  if (frames === 0) throw damaged();
  copy.add(Buffer.from([0x3b]));
  return { bytes: copy.bytes(), frames };
}

export const countGifPixels = (gif: Buffer): number => gif.readUInt16LE(6) * gif.readUInt16LE(8);

const colourTableBytes = (flags = 0): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The end of the blocks that start at `from`: each begins with its length, and the last has length 0. */
function skipBlocks(gif: Buffer, from: number): number {
  for (let at = from; ; ) {
    const size = gif[at];
    if (size === undefined) throw damaged();
    at += size + 1;
    if (size === 0) return at;
  }
}
