import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { makeChunk } from './png.ts';
import { countPixels, stripImage } from './strip.ts';

const plain = sharp({ create: { width: 60, height: 40, channels: 3, background: '#8a5a12' } });
const comment = Buffer.alloc(60_000, 'comment ');

/** An upside-down image with every kind of metadata. */
function decorate() {
  return plain
    .clone()
    .withIccProfile('p3')
    .withExif({ IFD0: { Copyright: 'Somebody' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .withMetadata({ orientation: 3 });
}

function rejection(file: Buffer): string {
  try {
    return `${stripImage(file).bytes.length} bytes`;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

const pixelsOf = (file: Uint8Array) => sharp(file, { failOn: 'error' }).raw().toBuffer();

test.for(['png', 'jpeg', 'webp', 'avif'] as const)(
  'stripping a %s keeps pixels, orientation and colour profile',
  async (type) => {
    const file = await decorate()[type]().toBuffer();
    const before = await sharp(file).metadata();
    expect(before.exif?.length).toBeGreaterThan(50);
    const { bytes } = stripImage(file);
    const after = await sharp(bytes).metadata();
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(file));
    expect([after.icc, after.orientation]).toEqual([before.icc, before.orientation]);
    expect(after.icc?.length).toBeGreaterThan(100);
    expect(after.exif?.length ?? 0).toBeLessThan(40);
    expect([after.xmp, after.comments]).toEqual([undefined, undefined]);
    if (type !== 'avif') expect(bytes.includes('Somebody')).toBe(false);
  },
);

test('a file without metadata is unchanged', async () => {
  for (const type of ['png', 'jpeg', 'webp', 'avif'] as const) {
    const file = await plain.clone()[type]().toBuffer();
    expect((await sharp(stripImage(file).bytes).metadata()).width).toBe(60);
    if (type !== 'png') expect(stripImage(file).bytes.equals(file)).toBe(true);
  }
});

test('stripping an animation keeps the first frame and counts them all', async () => {
  const frames = await Promise.all(
    ['#800', '#080', '#008'].map((background) =>
      sharp({ create: { width: 30, height: 20, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  for (const type of ['gif', 'webp'] as const) {
    const animation = await sharp(frames, { join: { animated: true } })
      [type]()
      .toBuffer();
    const stripped = stripImage(animation);
    expect(stripped.frames).toBe(3);
    expect((await sharp(stripped.bytes).metadata()).pages ?? 1).toBe(1);
    expect(await pixelsOf(stripped.bytes)).toEqual(await pixelsOf(animation));
  }
});

test('text, comments and unknown parts are dropped from every format', async () => {
  const png = await plain.clone().png().toBuffer();
  const packed = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(comment)]);
  for (const type of ['tEXt', 'zTXt', 'iTXt', 'tIME', 'sPLT', 'fdAT', 'aaAa']) {
    const more = Array(20).fill(makeChunk(type, packed));
    const file = Buffer.concat([png.subarray(0, 33), ...more, png.subarray(33)]);
    expect(stripImage(file).bytes).toEqual(stripImage(png).bytes);
  }
  const jpeg = await plain.clone().jpeg().toBuffer();
  for (const marker of [0xfe, 0xe0, 0xe1, 0xe2, 0xe3, 0xed, 0xef]) {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(comment.length + 2, 2);
    const more = Array(20).fill(Buffer.concat([head, comment]));
    const file = Buffer.concat([jpeg.subarray(0, 2), ...more, jpeg.subarray(2), Buffer.from('behind')]);
    expect(stripImage(file).bytes).toEqual(jpeg);
  }
  const gif = await plain.clone().gif().toBuffer();
  const blocks = Buffer.concat(
    Array(200).fill(Buffer.concat([Buffer.from([100]), comment.subarray(0, 100)])),
  );
  const extension = Buffer.concat([Buffer.from([0x21, 0xfe]), blocks, Buffer.from([0])]);
  const start = 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1);
  const commented = Buffer.concat([gif.subarray(0, start), extension, gif.subarray(start)]);
  expect(stripImage(commented).bytes).toEqual(stripImage(gif).bytes);
  const webp = await plain.clone().webp().toBuffer();
  const unknown = Buffer.concat([Buffer.from('XMP \0\0\0\0'), comment]);
  unknown.writeUInt32LE(comment.length, 4);
  const longer = Buffer.concat([webp, unknown]);
  longer.writeUInt32LE(longer.length - 8, 4);
  expect(stripImage(longer).bytes).toEqual(webp);
});

test('a colour profile over the limit is dropped', async () => {
  const png = await plain.clone().png().toBuffer();
  const packed = Buffer.concat([Buffer.from('profile\0\0'), deflateSync(Buffer.alloc(5_000_000))]);
  const file = Buffer.concat([png.subarray(0, 33), makeChunk('iCCP', packed), png.subarray(33)]);
  expect(stripImage(file).bytes).toEqual(stripImage(png).bytes);
  const jpeg = await decorate().jpeg().toBuffer();
  const profileAt = jpeg.indexOf('ICC_PROFILE') - 4;
  const part = jpeg.subarray(profileAt, profileAt + 2 + jpeg.readUInt16BE(profileAt + 2));
  const many = Array(Math.ceil(4_000_000 / part.length)).fill(part);
  const long = Buffer.concat([jpeg.subarray(0, profileAt), ...many, jpeg.subarray(profileAt)]);
  expect((await sharp(stripImage(long).bytes).metadata()).icc).toBeUndefined();
  const avif = (profile: number) =>
    Buffer.concat([
      box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')),
      box('meta', Buffer.alloc(4), box('iprp', box('ipco', box('colr', Buffer.alloc(profile, 'prof'))))),
    ]);
  expect(stripImage(avif(4_000_000)).bytes.includes('colr')).toBe(true);
  expect(stripImage(avif(4_000_001)).bytes.includes('colr')).toBe(false);
});

test('a JPEG with too many scans, in total or for its size, is rejected', async () => {
  const jpeg = await plain.clone().jpeg({ progressive: true }).toBuffer();
  const scans = [...jpeg.keys()].filter((at) => jpeg[at] === 0xff && jpeg[at + 1] === 0xda);
  const lastAt = scans.at(-1) ?? 0;
  const last = jpeg.subarray(lastAt, -2);
  const repeat = (count: number) =>
    Buffer.concat([jpeg.subarray(0, -2), ...Array(count - scans.length).fill(last), jpeg.subarray(-2)]);
  expect(rejection(repeat(100))).toMatch(/bytes$/);
  expect(rejection(repeat(101))).toMatch(/^This image file is too complex/);
  const large = repeat(31);
  const frameAt = large.indexOf(Buffer.from([0xff, 0xc2]));
  large.writeUInt16BE(6400, frameAt + 5);
  large.writeUInt16BE(6250, frameAt + 7);
  expect(rejection(large)).toMatch(/too complex/);
});

test('an AVIF with too many boxes, items or item bytes, or with items of other types, is rejected', async () => {
  const avif = await decorate().avif({ effort: 0 }).toBuffer();
  const free = Buffer.from('\0\0\0\x08free', 'latin1');
  const patch = (find: string, offset: number, bytes: number[]) => {
    const patched = Buffer.from(avif);
    patched.set(bytes, patched.indexOf(find) + offset);
    return patched;
  };
  expect(rejection(Buffer.concat([avif, ...Array(4000).fill(free)]))).toMatch(/bytes$/);
  expect(rejection(Buffer.concat([avif, ...Array(5000).fill(free)]))).toMatch(/too complex/);
  for (const other of ['iovl', 'iden', 'unci', 'hvc1', 'jpeg'])
    expect(rejection(patch('av01', 0, [...Buffer.from(other)]))).toMatch(/too complex/);
  // The version, sizes and item count are followed by each item's id, construction method (version 1), data reference,
  // base offset, extent count, offset and length. Here lengths have four bytes.
  const locations = avif.indexOf('iloc') + 4;
  expect(avif.readUInt16BE(locations + 4) >> 8).toBe(0x44);
  const base = (avif[locations + 5] ?? 0) >> 4;
  const version = avif[locations] ?? 0;
  const lengthAt = 8 + (version === 0 ? 4 : 6) + base + 2 + 4;
  expect(rejection(patch('iloc', 4 + lengthAt, [0x02, 0, 0, 0]))).toMatch(/too complex/);
  expect(rejection(patch('meta', -2, [0xff]))).toMatch(/may be damaged/);
});

test('EXIF that claims more entries than it has costs no more than its size', async () => {
  const jpeg = await plain.clone().jpeg().toBuffer();
  // A little-endian TIFF header, whose directory claims 65,535 entries.
  const claim = Buffer.from('\xff\xe1\x00\x14Exif\0\0II*\0\x08\0\0\0\xff\xff\0\0', 'latin1');
  const segments = Buffer.concat(Array(100_000).fill(claim));
  const file = Buffer.concat([jpeg.subarray(0, 2), segments, jpeg.subarray(2)]);
  expect(stripImage(file).bytes).toEqual(jpeg);
}, 10_000);

test('a file whose parts extend beyond its end is rejected', () => {
  const files = [
    '\x89PNG\r\n\x1a\n\xff\xff\xff\xffIHDR',
    '\xff\xd8\xff\xe0\xff\xff',
    '\xff\xd8\xff\xe0\0\0\0\0',
    'GIF89a\x01\0\x01\0\x80\0\0',
    'GIF89a\x01\0\x01\0\0\0\0\x21\xfe\xff',
    'RIFF\xff\xff\xff\xffWEBPVP8X\xff\xff\xff\xff',
    '\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0\0\x0cmeta\0\0\0\0',
    '\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0\0\x01meta',
  ];
  for (const file of files) expect(rejection(Buffer.from(file, 'latin1'))).not.toBe('');
});

const sized = sharp({ create: { width: 321, height: 123, channels: 3, background: '#8a5a12' } });

test('pixels are counted from the headers of every format', async () => {
  const files = {
    png: await sized.clone().png().toBuffer(),
    gif: await sized.clone().gif().toBuffer(),
    jpeg: await sized.clone().withMetadata().jpeg().toBuffer(),
    progressive: await sized.clone().jpeg({ progressive: true }).toBuffer(),
    webp: await sized.clone().webp().toBuffer(),
    lossless: await sized.clone().webp({ lossless: true }).toBuffer(),
    transparent: await sized.clone().ensureAlpha(0.5).webp().toBuffer(),
    avif: await sized.clone().avif({ effort: 0 }).toBuffer(),
  };
  const counted = Object.entries(files).map(([name, file]) => [name, countPixels(file)]);
  expect(counted).toEqual(Object.keys(files).map((name) => [name, 321 * 123]));
  for (const file of [...Object.values(files), Buffer.from('no image')])
    expect(countPixels(file.subarray(0, 8))).toBe(Number.MAX_SAFE_INTEGER);
});

test('a size hidden after a fill byte in a JPEG is ignored', async () => {
  const jpeg = await sized.clone().jpeg().toBuffer();
  // A parser that does not skip the fill byte reads the second 0xFF as a marker and 0xE0FF as its length.
  const app0 = Buffer.alloc(60_000);
  app0.writeUInt32BE(0xffffe0ea, 0);
  app0.writeUInt16BE(app0.length - 3, 3);
  app0.fill(Buffer.from('ffc00011080001000101', 'hex'), 0xe0ea + 1, 0xe0ea + 11);
  const forged = Buffer.concat([jpeg.subarray(0, 2), app0, jpeg.subarray(2)]);
  expect(countPixels(forged)).toBe(321 * 123);
});

test('a PNG with a size before its header counts as the largest', async () => {
  const png = await sized.clone().png().toBuffer();
  const text = makeChunk('tEXt', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]));
  const forged = Buffer.concat([png.subarray(0, 8), text, png.subarray(8)]);
  expect(countPixels(forged)).toBe(Number.MAX_SAFE_INTEGER);
});

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}
