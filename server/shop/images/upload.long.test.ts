import sharp from 'sharp';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { uploaded } from '../../../contract/catalogue/images.ts';
import { ShopError } from '../../../contract/errors.ts';
import { waitUntil } from '../../../tests/support/wait.ts';
import { type Database, openDatabase } from '../../database/database.ts';
import { createDecoder, type Decoder } from './decoder/decoder.ts';
import { serveImage } from './stored-images.ts';
import { createImageHost, rejectUpload } from './upload.ts';

const user = { id: 'tom', role: undefined };
const megabyte = 1024 * 1024;
const maxUploadBytes = 16 * 10 * megabyte;
const decoder = createDecoder();
afterAll(decoder.stop);
let database: Database;
let images: ReturnType<typeof createImageHost>;

beforeEach(async () => {
  database = await openDatabase({ file: ':memory:' });
  images = createImageHost({
    database,
    decoder,
    maxUploadBytes,
    countUpload: async () => undefined,
    countBytes: async () => undefined,
  });
});
afterEach(() => database.close());

function plain(width = 600, height = 400): Promise<Buffer> {
  const background = { r: 10, g: 120, b: 200 };
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
}

function post(file: Uint8Array, field = 'image', name = 'image.png'): Request {
  const form = new FormData();
  form.set(field, new File([new Uint8Array(file)], name));
  return new Request('http://localhost:3000/1/upload?key=ignored', { method: 'POST', body: form });
}

/** Converts errors as the app does. */
function upload(request: Request, viewer = user): Promise<Response> {
  return images.upload(request, viewer).catch((error: unknown) => {
    if (error instanceof ShopError) return rejectUpload(error);
    throw error;
  });
}

async function send(request: Request) {
  const response = await upload(request);
  const body = uploaded.parse(await response.json());
  expect(body.status).toBe(response.status);
  expect(body.success).toBe(response.ok);
  return { status: response.status, url: body.data?.url ?? '', message: body.error?.message };
}

const get = (path: string): Promise<Response> =>
  serveImage(database, new Request(`http://localhost:3000${path}`), path);

/** A body of `size` bytes that counts how many have been read. */
function countReads(size: number, contentType: string) {
  const read = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (read.bytes >= size) return controller.close();
      read.bytes += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': contentType } };
  return { request: new Request('http://localhost:3000/1/upload', init), read };
}

test('POST /1/upload returns a path under which the image is served, immutable', async () => {
  const { status, url } = await send(post(await plain()));
  expect(status).toBe(200);
  const response = await get(url);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get('content-length')).toBe(String(bytes.length));
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 600, height: 400 });
  const narrow = await (await get(url.replace('960', '240'))).arrayBuffer();
  expect((await sharp(narrow).metadata()).width).toBe(240);
});

test('uploads of the same image return the same path, whatever their name and type', async () => {
  const file = await plain();
  const responses = await Promise.all([
    send(post(file)),
    send(post(file, 'image', 'note.pdf')),
    send(post(file)),
  ]);
  expect(new Set(responses.map(({ url }) => url)).size).toBe(1);
  expect(await database.db.selectFrom('image').select('id').execute()).toHaveLength(3);
});

test('an invalid upload is rejected with the protocol’s error body', async () => {
  const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  const rejected = [
    { request: new Request('http://localhost:3000/1/upload', json), status: 415 },
    { request: new Request('http://localhost:3000/1/upload', { method: 'POST' }), status: 415 },
    { request: post(await plain(), 'photo'), status: 400 },
    { request: post(new Uint8Array(), 'image', ''), status: 400 },
    {
      request: post(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image', 'a.png'),
      status: 415,
    },
    { request: post((await plain()).subarray(0, 200)), status: 415 },
    { request: post(await plain(9000, 9000)), status: 413 },
  ];
  for (const { request, status } of rejected) {
    const response = await send(request);
    expect(response.status).toBe(status);
    expect(response.message).toMatch(/^[A-Z].*\.$/);
  }
  expect(await database.db.selectFrom('image').select('id').execute()).toEqual([]);
});

test('an upload of 10 MB is accepted, one byte more is rejected', async () => {
  const padded = Buffer.concat([await plain(), Buffer.alloc(10 * megabyte)]);
  expect((await send(post(padded.subarray(0, 10 * megabyte)))).status).toBe(200);
  const { status, message } = await send(post(padded.subarray(0, 10 * megabyte + 1)));
  expect([status, message]).toEqual([413, 'This image is too large: the limit is 10 MB.']);
});

test('up to 10 MB more of an oversized body are read, so that the client reads the response', async () => {
  const form = 'multipart/form-data; boundary=xx';
  const large = countReads(15 * megabyte, form);
  expect((await send(large.request)).status).toBe(413);
  expect(large.read.bytes).toBe(15 * megabyte);
  const huge = countReads(500 * megabyte, form);
  expect((await send(huge.request)).status).toBe(413);
  expect(huge.read.bytes).toBeLessThan(21 * megabyte);
  const other = countReads(500 * megabyte, 'text/plain');
  expect((await send(other.request)).status).toBe(415);
  expect(other.read.bytes).toBeLessThan(11 * megabyte);
});

test('an interrupted upload is rejected and does not affect others', async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
  const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
  const init = { method: 'POST', body, duplex: 'half', headers };
  const broken = new Request('http://localhost:3000/1/upload', init);
  expect((await send(broken)).status).toBe(400);
  expect((await send(post(await plain()))).status).toBe(200);
});

test('uploads are counted per user before they are read; over the limit returns 429', async () => {
  const counted: string[] = [];
  images = createImageHost({
    database,
    decoder,
    maxUploadBytes,
    countBytes: async () => undefined,
    countUpload: async (id) => {
      if (counted.push(id) > 1)
        throw new ShopError('too_many_attempts', 'Wait a little.', { retryAfter: 90 });
    },
  });
  const file = await plain();
  expect((await upload(post(file))).status).toBe(200);
  const response = await upload(post(file));
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '90']);
  expect(await response.json()).toEqual({
    success: false,
    status: 429,
    error: { message: 'Wait a little.' },
  });
  expect(counted).toEqual(['tom', 'tom']);
});

test('simultaneous uploads of one user all succeed', async () => {
  const files = await Promise.all([10, 20, 30, 40, 50].map((height) => plain(100, height)));
  const responses = await Promise.all(files.map((file) => send(post(file))));
  expect(new Set(responses.map(({ url }) => url)).size).toBe(5);
});

/** A body that sends `bytes`, then stalls until it is released. */
function stall(bytes: number) {
  const released = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let sent = 0; sent < bytes; sent += 10_000) controller.enqueue(new Uint8Array(10_000));
      await released.promise;
      controller.close();
    },
  });
  const headers = { 'content-type': 'multipart/form-data; boundary=xx' };
  const init = { method: 'POST', body, duplex: 'half', headers };
  return { request: new Request('http://localhost:3000/1/upload', init), release: released.resolve };
}

test('many slow bodies do not delay another user’s upload', async () => {
  const slow = Array.from({ length: 40 }, () => stall(10_000));
  let answered = 0;
  const uploads = slow.map(async ({ request }, index) => {
    const { status } = await upload(request, { ...user, id: `${index}` });
    answered += 1;
    return status;
  });
  expect((await send(post(await plain()))).status).toBe(200);
  expect(answered).toBe(0);
  for (const { release } of slow) release();
  expect(await Promise.all(uploads)).toEqual(slow.map(() => 400));
});

test('a user’s waiting uploads are limited, and other users’ uploads continue', async () => {
  const slow = Array.from({ length: 202 }, () => stall(10_000));
  const uploads = slow.map(async ({ request }) => (await upload(request)).status);
  const rejected = await upload(post(await plain()));
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '10']);
  const another = await upload(post(await plain()), { ...user, id: 'ann' });
  expect(another.status).toBe(200);
  for (const { release } of slow) release();
  expect(await Promise.all(uploads)).toEqual(slow.map(() => 400));
});

test('when bodies take too much memory, the body that has held the most for the longest is evicted', async () => {
  images = createImageHost({
    database,
    decoder,
    maxUploadBytes: megabyte,
    countUpload: async () => undefined,
    countBytes: async () => undefined,
  });
  const [large, small] = [stall(800_000), stall(10_000)];
  const largeUpload = upload(large.request, { ...user, id: 'large' });
  const smallUpload = upload(small.request, { ...user, id: 'small' });
  const file = Buffer.concat([await plain(), Buffer.alloc(500_000)]);
  expect((await send(post(file))).status).toBe(200);
  const response = await largeUpload;
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
  // The memory of the evicted body has been released.
  expect((await send(post(file))).status).toBe(200);
  small.release();
  expect((await smallUpload).status).toBe(400);
});

test('queued images of users who hold more memory are evicted for another user’s image', async () => {
  let queued = 0;
  const busy: Decoder = {
    ...decoder,
    decode(id, file, setCancel) {
      if (id === user.id) return decoder.decode(id, file, setCancel);
      queued += 1;
      return new Promise((_, reject) => setCancel?.(reject));
    },
  };
  images = createImageHost({
    database,
    decoder: busy,
    maxUploadBytes: 3_100_000,
    countUpload: async () => undefined,
    countBytes: async () => undefined,
  });
  const rejections: unknown[] = [];
  for (const person of ['x', 'x', 'y', 'y', 'z', 'z'])
    void upload(post(new Uint8Array(500_000)), { ...user, id: `${person}` }).then(({ status, headers }) =>
      rejections.push([status, headers.get('retry-after')]),
    );
  await waitUntil(() => expect(queued).toBe(6));
  expect((await send(post(Buffer.concat([await plain(), Buffer.alloc(200_000)])))).status).toBe(200);
  expect(rejections).toEqual([[503, '30']]);
});

test('many users who each hold less memory than a new image needs do not keep the image out', async () => {
  images = createImageHost({
    database,
    decoder,
    maxUploadBytes: megabyte,
    countUpload: async () => undefined,
    countBytes: async () => undefined,
  });
  const holders = Array.from({ length: 4 }, () => stall(240_000));
  const held = holders.map(({ request }, index) => upload(request, { ...user, id: `${index}` }));
  const file = Buffer.concat([await plain(), Buffer.alloc(400_000)]);
  expect((await send(post(file))).status).toBe(200);
  for (const { release } of holders) release();
  const statuses = (await Promise.all(held)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 503)).toHaveLength(2);
});

test('an empty file and a missing file are rejected with different messages', async () => {
  const rejections = [await send(post(new Uint8Array())), await send(post(new Uint8Array(), 'image', ''))];
  expect(rejections.map(({ status, message }) => `${status} ${message}`)).toEqual([
    '400 This file is empty (0 bytes). Choose another.',
    '400 No image was sent: choose a file first.',
  ]);
});
