import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ShopError } from '../../../../contract/errors.ts';
import { encodeImage } from './encode.ts';

const red = { r: 200, g: 20, b: 20 };
const blue = { r: 20, g: 20, b: 200 };
type Colour = typeof red;

function plain(width: number, height: number, background: Colour = red) {
  return sharp({ create: { width, height, channels: 3, background } });
}

/** Files in formats that libvips reads until the first encoding blocks them. */
let svg: Buffer;
let tiff: Buffer;
/** A JPEG with a gain map, for which libvips has a loader of its own. */
const ultraHdr = readFileSync(join(import.meta.dirname, 'ultra-hdr.jpg'));

beforeAll(async () => {
  svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  );
  tiff = await plain(20, 20).tiff().toBuffer();
  expect((await sharp(svg).metadata()).format).toBe('svg');
  expect((await sharp(ultraHdr).metadata()).gainMap).toBeDefined();
});

// `encodeImage` restricts what Sharp reads in the whole process, which other test files share.
afterAll(() => void sharp.unblock({ operation: ['VipsForeignLoad'] }));

async function encodedSizes(file: Uint8Array) {
  const webp = await encodeImage(file);
  return Promise.all(
    webp.map(async (bytes) => {
      const { format, width, height } = await sharp(bytes).metadata();
      return `${format} ${width}x${height}`;
    }),
  );
}

/** The colour of one pixel of the widest file. */
async function colourAt(file: Uint8Array, x: number, y: number): Promise<'red' | 'blue'> {
  const webp = await encodeImage(file);
  const { data, info } = await sharp(webp[2]).raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return (data[at] ?? 0) > (data[at + 2] ?? 0) ? 'red' : 'blue';
}

async function rejection(file: Uint8Array): Promise<string> {
  const error = await encodeImage(file).catch((thrown: unknown) => thrown);
  return error instanceof ShopError ? `${error.code}: ${error.message}` : `no rejection: ${String(error)}`;
}

/** An animation of plain frames. */
async function animate(type: 'gif' | 'webp', width: number, height: number, colours: Colour[]) {
  const frames = await Promise.all(colours.map((colour) => plain(width, height, colour).png().toBuffer()));
  return sharp(frames, { join: { animated: true } })
    [type]()
    .toBuffer();
}

test('every accepted format becomes WebP in three widths, and in a fourth if the image is wider than the third', async () => {
  for (const type of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const) {
    expect(await encodedSizes(await plain(1200, 600)[type]().toBuffer())).toEqual([
      'webp 240x120',
      'webp 480x240',
      'webp 960x480',
      'webp 1200x600',
    ]);
  }
});

test('a small image is not enlarged, and a very tall one is reduced to a height that WebP supports', async () => {
  expect(await encodedSizes(await plain(300, 100).png().toBuffer())).toEqual([
    'webp 240x80',
    'webp 300x100',
    'webp 300x100',
  ]);
  expect(await encodedSizes(await plain(1, 1).gif().toBuffer())).toEqual([
    'webp 1x1',
    'webp 1x1',
    'webp 1x1',
  ]);
  expect((await encodedSizes(await plain(900, 20_000).png().toBuffer()))[2]).toBe('webp 130x2880');
  expect((await encodedSizes(await plain(20_000, 4).png().toBuffer()))[2]).toBe('webp 960x1');
});

test('grey, 16-bit, CMYK and transparent images are accepted', async () => {
  const grey = await plain(50, 50).ensureAlpha(0.5).toColourspace('b-w').png().toBuffer();
  const deep = await plain(50, 50).toColourspace('rgb16').png().toBuffer();
  const cmyk = await plain(50, 50).toColourspace('cmyk').jpeg().toBuffer();
  expect((await encodedSizes(grey))[2]).toBe('webp 50x50');
  expect(await colourAt(deep, 25, 25)).toBe('red');
  expect(await colourAt(cmyk, 25, 25)).toBe('red');
  const webp = await encodeImage(await plain(50, 50).ensureAlpha(0).png().toBuffer());
  expect((await sharp(webp[2]).metadata()).hasAlpha).toBe(true);
});

test('the orientation is applied and the metadata removed', async () => {
  const [left, right] = await Promise.all([
    plain(400, 300, red).png().toBuffer(),
    plain(400, 300, blue).png().toBuffer(),
  ]);
  const turned = await plain(800, 300)
    .composite([
      { input: left, left: 0, top: 0 },
      { input: right, left: 400, top: 0 },
    ])
    .jpeg()
    .withIccProfile('p3')
    .withExif({
      IFD0: { Copyright: 'Somebody', Orientation: '6' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .toBuffer();
  const before = await sharp(turned).metadata();
  expect(before.orientation).toBe(6);
  expect(before.exif?.length).toBeGreaterThan(100);

  // Orientation 6 moves the left side to the top.
  expect((await encodedSizes(turned))[2]).toBe('webp 300x800');
  expect(await colourAt(turned, 150, 50)).toBe('red');
  expect(await colourAt(turned, 150, 750)).toBe('blue');
  for (const bytes of await encodeImage(turned)) {
    const { exif, icc, xmp, iptc, orientation } = await sharp(bytes).metadata();
    expect([exif, icc, xmp, iptc, orientation]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(Buffer.from(bytes).includes('Somebody')).toBe(false);
  }
});

test('an Ultra HDR photo, as phones take them, is accepted as a plain JPEG', async () => {
  expect((await encodedSizes(ultraHdr))[2]).toBe('webp 64x48');
  expect(await colourAt(ultraHdr, 32, 24)).toBe('red');
});

test('data after the image is dropped', async () => {
  const gif = await plain(60, 40).gif().toBuffer();
  const polyglot = Buffer.concat([gif, Buffer.from('<html><script>alert(1)</script></html>')]);
  const webp = await encodeImage(polyglot);
  expect(webp).toEqual(await encodeImage(gif));
  for (const bytes of webp) expect(Buffer.from(bytes).includes('script')).toBe(false);
});

test('an animation is reduced to its first frame', async () => {
  for (const type of ['gif', 'webp'] as const) {
    const animation = await animate(type, 60, 40, [blue, red, blue]);
    expect((await sharp(animation).metadata()).pages).toBe(3);
    expect((await encodedSizes(animation))[2]).toBe('webp 60x40');
    expect(await colourAt(animation, 30, 20)).toBe('blue');
  }
});

test('files of other formats are rejected', async () => {
  const heic = Buffer.concat([
    Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
    Buffer.alloc(500),
  ]);
  const others = {
    svg,
    tiff,
    heic,
    pdf: Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'),
    bmp: Buffer.concat([Buffer.from('BM'), Buffer.alloc(200)]),
    icon: Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0]),
    portable: Buffer.from('P6 1 1 255\nabc'),
    vips: Buffer.concat([Buffer.from([8, 0xf2, 0xa6, 0xb6]), Buffer.alloc(200)]),
    html: Buffer.from('<!doctype html><img src="x.jpg">'),
    nothing: Buffer.alloc(0),
  };
  for (const file of Object.values(others)) {
    expect(await rejection(file)).toBe(
      'wrong_type: Please choose an image: a JPEG, PNG, WebP, AVIF or GIF file.',
    );
  }
});

test('damaged and incomplete files are rejected', async () => {
  const pixels = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, index) => (index * index) % 251));
  const noise = sharp(pixels, { raw: { width: 300, height: 200, channels: 3 } });
  for (const type of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const) {
    const file = await noise.clone()[type]().toBuffer();
    expect(await rejection(file.subarray(0, file.length / 2))).toMatch(/^wrong_type: /);
  }
  const png = await noise.clone().png().toBuffer();
  png.fill(0x55, 1000, 1100);
  expect(await rejection(png)).toMatch(/^wrong_type: This image cannot be read/);
});

test('more than 40 megapixels are rejected before decoding, however small the file', async () => {
  // Most pixels are missing, so decoding the file would report damage.
  expect(await rejection(png(9000, 9000, 1))).toBe(
    'too_large: This image is too large: 9000 × 9000 is more than 40 megapixels. Please save it smaller.',
  );
  expect((await encodedSizes(png(8000, 5000)))[2]).toBe('webp 960x600');
  expect(await rejection(png(8001, 5000, 1))).toMatch(/^too_large: /);
  expect(await rejection(await animate('gif', 5000, 3000, [red, blue, red]))).toMatch(/^too_large: .*frames/);
});

test('simultaneous encodings all succeed', async () => {
  const files = await Promise.all([10, 20, 30, 40, 50, 60].map((width) => plain(width, 10).png().toBuffer()));
  const encoded = await Promise.all(files.map((file) => encodeImage(file)));
  expect(new Set(encoded.map(([narrowest]) => Buffer.from(narrowest ?? []).toString('hex'))).size).toBe(6);
});

/** A grey PNG with pixels for only `rows` rows. */
function png(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * rows))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
