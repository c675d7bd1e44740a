import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { uploaded } from '../../contract/catalogue/images.ts';
import { findUserId } from '../../server/shop/users/find-users.ts';
import { engines } from '../support/database.ts';
import type { TestUser } from '../support/requests.ts';
import { sendRequest, tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { forgedSignature } from '../support/stripe-event.ts';

const script = '<html><body><script>alert(document.cookie)</script>';

function upload(shop: TestShop, person: TestUser, file: Uint8Array, name = 'a.png'): Promise<Response> {
  const body = new FormData();
  body.set('image', new File([new Uint8Array(file)], name));
  return sendRequest(shop, 'POST', '/1/upload', { body, headers: tokenHeaders(person) });
}

const plain = sharp({ create: { width: 60, height: 40, channels: 3, background: '#8a5a12' } });

/** A PNG with extra chunks after its header. */
async function pngWith(type: string, data: Buffer, count = 1): Promise<Buffer> {
  const png = await plain.clone().png().toBuffer();
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  const chunk = Buffer.concat([length, named, check]);
  return Buffer.concat([png.subarray(0, 33), ...Array(count).fill(chunk), png.subarray(33)]);
}

test('an image that is also a page or a program is served as an image only', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const gif = await plain.clone().gif().toBuffer();
  const jpeg = await plain.clone().jpeg().toBuffer();
  const polyglots: Record<string, Buffer> = {
    'page.html': Buffer.concat([gif, Buffer.from(script)]),
    'script.js': Buffer.concat([jpeg, Buffer.from(`*/alert(1)//${script}`)]),
    'comment.jpg': Buffer.concat([jpeg.subarray(0, 2), segment(0xfe, script), jpeg.subarray(2)]),
    'text.png': await pngWith('tEXt', Buffer.from(`Comment\0${script}`)),
    'archive.zip': Buffer.concat([gif, Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]),
    '../../shell.php': Buffer.concat([gif, Buffer.from('<?php system($_GET[0]); ?>')]),
  };
  for (const [name, file] of Object.entries(polyglots)) {
    const { data } = uploaded.parse(await (await upload(shop, person, file, name)).json());
    expect([name, data?.url]).toEqual([name, expect.stringMatching(/^\/images\/[0-9a-f]{64}-960\.webp$/)]);
    const served = await sendRequest(shop, 'GET', data?.url ?? '');
    const bytes = Buffer.from(await served.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    for (const trace of ['script', 'php', 'PK\x05\x06'])
      expect([name, bytes.includes(trace)]).toEqual([name, false]);
    // These headers keep browsers from interpreting or executing it.
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    });
  }
});

test.each(engines)(
  'a customer can store a limited number of image bytes a day on %s; other customers and admins are not affected',
  async (engine) => {
    const maxBytes = 400_000;
    await using shop = await startShop({ engine, rateLimits: { imageBytesPerUser: maxBytes } });
    const [eve, tom, admin] = [await shop.signUp('Eve'), await shop.signUp('Tom'), await shop.admin()];
    const makeNoise = () =>
      sharp({
        create: {
          width: 240,
          height: 150,
          channels: 3,
          background: '#888',
          noise: { type: 'gaussian', mean: 128, sigma: 60 },
        },
      })
        .png()
        .toBuffer();
    const eveId = await findUserId(shop.database.db, eve.email);
    const sumBytes = async () => {
      const { db } = shop.database;
      const rows = await db
        .selectFrom('image')
        .select('bytes')
        .where('user_id', '=', eveId ?? '')
        .execute();
      return rows.reduce((sum, { bytes }) => sum + bytes.length, 0);
    };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 30) {
      const response = await upload(shop, eve, await makeNoise());
      statuses.push(response.status);
      if (response.status === 429)
        expect(uploaded.parse(await response.json()).error?.message).toBe(
          'Too many images: wait 24 hours and try again.',
        );
    }
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.length).toBeGreaterThan(2);
    const stored = await sumBytes();
    expect(stored).toBeLessThanOrEqual(maxBytes);
    expect((await upload(shop, eve, await makeNoise())).status).toBe(429);
    expect(await sumBytes()).toBe(stored);
    for (let index = 0; index < statuses.length; index++)
      expect((await upload(shop, admin, await makeNoise())).status).toBe(200);
    expect((await upload(shop, tom, await makeNoise())).status).toBe(200);
  },
);

test('a decompression bomb costs at most one killed decoder', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  // Each such chunk expands to 50 MB. Without the limit on the decoder's memory, eleven take 2.8 GB.
  const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(50_000_000, 'A'))]);
  // This expands to 300 MB.
  const packed = deflateSync(Buffer.alloc(300_000_000));
  const comment = Buffer.alloc(65_000, 'comment ');
  const [jpeg, gif, webp] = await Promise.all([
    plain.clone().jpeg().toBuffer(),
    plain.clone().gif().toBuffer(),
    plain.clone().webp().toBuffer(),
  ]);
  const bombs = {
    'an international text': await pngWith('iTXt', Buffer.concat([Buffer.from('C\0\x01\0\0\0'), packed])),
    'a colour profile': await pngWith('iCCP', Buffer.concat([Buffer.from('profile\0\0'), packed])),
    'segments of a JPEG': Buffer.concat([
      jpeg.subarray(0, 2),
      ...Array(50).fill(segment(0xfe, comment)),
      ...Array(50).fill(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), comment]))),
      ...Array(50).fill(segment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x32'), comment]))),
      jpeg.subarray(2),
    ]),
    'comments of a GIF': Buffer.concat([
      gif.subarray(0, 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1)),
      Buffer.concat(Array(500_000).fill(Buffer.from('!\xfe\x06GIF 89\0', 'latin1'))),
      gif.subarray(13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1)),
    ]),
    'metadata of a WebP': riff(webp.subarray(12), ...Array(140).fill(riffChunk('XMP ', comment))),
  };
  const before = process.memoryUsage().rss;
  for (const [name, bomb] of Object.entries(bombs)) {
    const { status } = await upload(shop, person, bomb);
    expect([name, status]).toEqual([name, 200]);
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  }
  // The decoder is killed because it takes too much memory or, on a slow machine, too much time.
  expect([413, 415]).toContain((await upload(shop, person, await pngWith('zTXt', text, 11))).status);
  expect((await upload(shop, person, await plain.clone().png().toBuffer())).status).toBe(200);
  // A header that declares more pixels than the file has.
  const oversized = await plain.clone().png().toBuffer();
  oversized.writeUInt32BE(60_000, 16);
  oversized.writeUInt32BE(60_000, 20);
  oversized.writeUInt32BE(crc32(oversized.subarray(12, 29)), 29);
  expect((await upload(shop, person, oversized)).status).toBe(413);
});

test('a progressive JPEG of thousands of empty scans is rejected', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const grey = sharp({ create: { width: 6320, height: 6320, channels: 3, background: '#888' } });
  const jpeg = await grey.toColourspace('b-w').jpeg({ progressive: true }).toBuffer();
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  const bomb = Buffer.concat([jpeg.subarray(0, -2), ...Array(6500).fill(scan), jpeg.subarray(-2)]);
  const response = await upload(shop, person, bomb);
  const { error } = uploaded.parse(await response.json());
  expect([response.status, error?.message]).toEqual([
    415,
    'This image cannot be read: it may be damaged or incomplete. Please choose another.',
  ]);
  expect((await upload(shop, person, jpeg)).status).toBe(200);
});

test('if a decoder is killed, only its image is rejected with 503, and no other user waits', async () => {
  await using shop = await startShop({ separateDecoderAndRenderer: true });
  const [slow, other] = [await shop.signUp(), await shop.signUp()];
  const file = await plain.clone().png().toBuffer();
  // Stop the decoder as it starts, so that its image never finishes.
  const started = Promise.withResolvers<ChildProcess>();
  const stop = (message: unknown) => {
    if (typeof message !== 'object' || !message || !('process' in message)) return;
    if (!(message.process instanceof ChildProcess)) return;
    unsubscribe('child_process', stop);
    const child = message.process;
    child.once('spawn', () => {
      child.kill('SIGSTOP');
      started.resolve(child);
    });
  };
  subscribe('child_process', stop);
  let responded = false;
  const stuck = upload(shop, slow, file).finally(() => {
    responded = true;
  });
  const child = await started.promise;
  expect((await upload(shop, other, file)).status).toBe(200);
  expect(responded).toBe(false);
  child.kill('SIGKILL');
  const { status, headers } = await stuck;
  expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  expect((await upload(shop, slow, file)).status).toBe(200);
});

test('a compressed request body is rejected without decompressing it', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const bomb = gzipSync(Buffer.alloc(90_000_000, ' '));
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']) {
    for (const [path, type, status] of [
      ['/api/review', 'application/json', 400],
      ['/api/auth/sign-in/email', 'application/json', 400],
      ['/1/upload', 'multipart/form-data; boundary=x', 400],
      ['/api/webhooks/stripe', 'application/json', 400],
    ] as const) {
      const headers = {
        ...tokenHeaders(person),
        'content-type': type,
        'content-encoding': encoding,
        'stripe-signature': forgedSignature,
      };
      const request = new Request(shop.origin + path, { method: 'POST', headers, body: bomb });
      expect([path, encoding, (await shop.fetch(request)).status]).toEqual([path, encoding, status]);
    }
  }
});

/** A segment of a JPEG. */
function segment(marker: number, content: string | Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, Buffer.from(content)]);
}

/** A WebP file. */
function riff(...chunks: Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

function riffChunk(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}
