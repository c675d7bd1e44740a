import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStage, type Stage } from '../screens/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** What goes over the network, and not to the browser's own cache: the path and the status of each answer. */
async function watchNetwork(page: Page): Promise<string[]> {
  const answers: string[] = [];
  const paths = new Map<string, string>();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) =>
    paths.set(requestId, new URL(request.url).pathname),
  );
  devtools.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) =>
    answers.push(`${statusCode} ${paths.get(requestId)}`),
  );
  return answers;
}

test('a second visit asks for the HTML only, and that is 304', async () => {
  const page = await stage.open();
  const answers = await watchNetwork(page);
  await page.goto('/', { waitUntil: 'networkidle' });
  expect(answers.length).toBeGreaterThan(8);
  await page.goto('/blogs', { waitUntil: 'networkidle' });
  answers.length = 0;
  await page.goto('/', { waitUntil: 'networkidle' });
  expect(answers).toEqual(['304 /']);
});

const unpack = {
  br: (body: Buffer) => brotliDecompressSync(body),
  gzip: (body: Buffer) => gunzipSync(body),
  identity: (body: Buffer) => body,
};
type Encoding = keyof typeof unpack;
const encodings: [Encoding, string][] = [
  ['br', 'gzip, deflate, br, zstd'],
  ['gzip', 'gzip, deflate'],
  ['gzip', 'br;q=0, gzip'],
  ['identity', 'identity'],
];

async function ask(path: string, accepted: string, known?: string) {
  const headers = { 'accept-encoding': accepted, ...(known ? { 'if-none-match': known } : {}) };
  const response = await stage.shop.send(path, { headers });
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  return { response, encoding, body: Buffer.from(await response.arrayBuffer()) };
}

describe.each([
  '/',
  '/blogs',
  '/login',
  '/signup',
  '/api/products',
  '/api/products?limit=12',
  '/api/reviews',
  'product',
])('%s for somebody without a name', (address) => {
  const path = async () => (address === 'product' ? `/api/products/${(await stage.product())._id}` : address);

  test.each(encodings)('is the same in %s, where %s is taken', async (encoding, accepted) => {
    const plain = await ask(await path(), 'identity');
    const found = await ask(await path(), accepted);
    expect(found.response.status).toBe(200);
    expect(found.encoding).toBe(encoding);
    expect(unpack[encoding](found.body).equals(plain.body)).toBe(true);
    for (const name of ['cookie', 'authorization', 'accept-encoding'])
      expect(found.response.headers.get('vary')?.toLowerCase()).toContain(name);
  });

  test('is 304, without a body and with the same Vary, to whoever has it', async () => {
    const first = await ask(await path(), 'br');
    const etag = first.response.headers.get('etag') ?? '';
    // One for all encodings, and so a weak one.
    expect(etag).toMatch(/^W\/"/);
    const { response, body } = await ask(await path(), 'br', etag);
    expect(response.status).toBe(304);
    expect(body.length).toBe(0);
    expect(response.headers.get('etag')).toBe(etag);
    expect(response.headers.get('vary')).toBe(first.response.headers.get('vary'));
    expect((await ask(await path(), 'br', 'W/"another"')).response.status).toBe(200);
  });
});

test('a file of the build is what the build compressed, with a tag of its own for each encoding', async () => {
  const html = (await ask('/', 'identity')).body.toString();
  const script = /data-scripts="([^" ]+)/.exec(html)?.[1] ?? '';
  const tags = new Set<string>();
  for (const [encoding, accepted, ending] of [
    ['br', 'gzip, br', '.br'],
    ['gzip', 'gzip', '.gz'],
    ['identity', 'identity', ''],
  ] as const) {
    const found = await ask(script, accepted);
    expect(found.encoding).toBe(encoding);
    expect(found.body.equals(readFileSync(`dist/web${script}${ending}`))).toBe(true);
    const { headers } = found.response;
    expect(headers.get('vary')).toBe('accept-encoding');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const etag = headers.get('etag') ?? '';
    tags.add(etag);
    expect((await ask(script, accepted, etag)).response.status).toBe(304);
  }
  expect(tags.size).toBe(3);
});
