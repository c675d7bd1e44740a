import sharp from 'sharp';
import { expect, test } from 'vitest';
import { countPixels } from './pixels.ts';
import { makeChunk } from './png.ts';

const plain = sharp({ create: { width: 321, height: 123, channels: 3, background: '#8a5a12' } });

test('pixels are counted from the headers of every format', async () => {
  const files = {
    png: await plain.clone().png().toBuffer(),
    gif: await plain.clone().gif().toBuffer(),
    jpeg: await plain.clone().withMetadata().jpeg().toBuffer(),
    progressive: await plain.clone().jpeg({ progressive: true }).toBuffer(),
    webp: await plain.clone().webp().toBuffer(),
    lossless: await plain.clone().webp({ lossless: true }).toBuffer(),
    transparent: await plain.clone().ensureAlpha(0.5).webp().toBuffer(),
    avif: await plain.clone().avif({ effort: 0 }).toBuffer(),
  };
  const counted = Object.entries(files).map(([name, file]) => [name, countPixels(file)]);
  expect(counted).toEqual(Object.keys(files).map((name) => [name, 321 * 123]));
  for (const file of [...Object.values(files), Buffer.from('no image')])
    expect(countPixels(file.subarray(0, 8))).toBe(Number.MAX_SAFE_INTEGER);
});

test('a size hidden after a fill byte in a JPEG is ignored', async () => {
  const jpeg = await plain.clone().jpeg().toBuffer();
  // A parser that does not skip the fill byte reads the second 0xFF as a marker and 0xE0FF as its length.
  const app0 = Buffer.alloc(60_000);
  app0.writeUInt32BE(0xffffe0ea, 0);
  app0.writeUInt16BE(app0.length - 3, 3);
  app0.fill(Buffer.from('ffc00011080001000101', 'hex'), 0xe0ea + 1, 0xe0ea + 11);
  const forged = Buffer.concat([jpeg.subarray(0, 2), app0, jpeg.subarray(2)]);
  expect(countPixels(forged)).toBe(321 * 123);
});

test('a PNG with a size before its header counts as the largest', async () => {
  const png = await plain.clone().png().toBuffer();
  const text = makeChunk('tEXt', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]));
  const forged = Buffer.concat([png.subarray(0, 8), text, png.subarray(8)]);
  expect(countPixels(forged)).toBe(Number.MAX_SAFE_INTEGER);
});
