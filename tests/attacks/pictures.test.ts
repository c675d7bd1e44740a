import { crc32, deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { uploaded } from '../../contract/images.ts';
import { askPath, byToken } from '../support/ask.ts';
import type { Person } from '../support/people.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const script = '<html><body><script>alert(document.cookie)</script>';

function upload(shop: TestShop, person: Person, file: Uint8Array, name = 'a.png'): Promise<Response> {
  const body = new FormData();
  body.set('image', new File([new Uint8Array(file)], name));
  return askPath(shop, 'POST', '/1/upload', { body, headers: byToken(person) });
}

const plain = sharp({ create: { width: 60, height: 40, channels: 3, background: '#8a5a12' } });

/** A PNG with one more chunk behind its header. */
async function pngWith(type: string, data: Buffer): Promise<Buffer> {
  const png = await plain.clone().png().toBuffer();
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([png.subarray(0, 33), length, named, check, png.subarray(33)]);
}

test('a picture that is also a page or a program comes out as nothing but a picture', async () => {
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
    const served = await askPath(shop, 'GET', data?.url ?? '');
    const bytes = Buffer.from(await served.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    for (const trace of ['script', 'php', 'PK\x05\x06'])
      expect([name, bytes.includes(trace)]).toEqual([name, false]);
    // And whatever it were: no browser takes it for a page, nor lets it do anything.
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    });
  }
});

test('a small file that would be large is refused, or read without what makes it large', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  // 300 MB of nothing each, in a chunk that no pixel needs.
  const packed = deflateSync(Buffer.alloc(300_000_000), { level: 9 });
  const before = process.memoryUsage().rss;
  for (const [type, head] of [
    ['zTXt', 'Comment\0\0'],
    ['iCCP', 'profile\0\0'],
    ['iTXt', 'Comment\0\x01\0\0\0'],
  ] as const) {
    const bomb = await pngWith(type, Buffer.concat([Buffer.from(head, 'latin1'), packed]));
    expect([200, 415]).toContain((await upload(shop, person, bomb)).status);
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  // Pixels that only the header has.
  const lie = await plain.clone().png().toBuffer();
  lie.writeUInt32BE(60_000, 16);
  lie.writeUInt32BE(60_000, 20);
  lie.writeUInt32BE(crc32(lie.subarray(12, 29)), 29);
  expect((await upload(shop, person, lie)).status).toBe(413);
});

test('a body that is packed is not unpacked', async () => {
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
      const headers = { ...byToken(person), 'content-type': type, 'content-encoding': encoding };
      const request = new Request(shop.origin + path, { method: 'POST', headers, body: bomb });
      expect([path, encoding, (await shop.fetch(request)).status]).toEqual([path, encoding, status]);
    }
  }
});

/** A segment of a JPEG. */
function segment(marker: number, text: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(text.length + 2, 2);
  return Buffer.concat([head, Buffer.from(text)]);
}
