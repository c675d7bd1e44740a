import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStage, type Stage } from '../screens/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** Records status and path of every response from the network, not from the browser's cache. */
async function recordResponses(page: Page): Promise<string[]> {
  const responses: string[] = [];
  const paths = new Map<string, string>();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) =>
    paths.set(requestId, new URL(request.url).pathname),
  );
  devtools.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) =>
    responses.push(`${statusCode} ${paths.get(requestId)}`),
  );
  return responses;
}

test('a second visit requests only the HTML, and gets a 304', async () => {
  const page = await stage.open();
  const responses = await recordResponses(page);
  await page.goto('/', { waitUntil: 'networkidle' });
  expect(responses.length).toBeGreaterThan(8);
  await page.goto('/blogs', { waitUntil: 'networkidle' });
  responses.length = 0;
  await page.goto('/', { waitUntil: 'networkidle' });
  expect(responses).toEqual(['304 /']);
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

async function fetchEncoded(path: string, accepted: string, etag?: string) {
  const headers = { 'accept-encoding': accepted, ...(etag ? { 'if-none-match': etag } : {}) };
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
])('GET %s without a session', (address) => {
  const path = async () => (address === 'product' ? `/api/products/${(await stage.product())._id}` : address);

  test.each(encodings)('returns the same body as %s for Accept-Encoding: %s', async (encoding, accepted) => {
    const plain = await fetchEncoded(await path(), 'identity');
    const encoded = await fetchEncoded(await path(), accepted);
    expect(encoded.response.status).toBe(200);
    expect(encoded.encoding).toBe(encoding);
    expect(unpack[encoding](encoded.body).equals(plain.body)).toBe(true);
    for (const name of ['cookie', 'authorization', 'accept-encoding'])
      expect(encoded.response.headers.get('vary')?.toLowerCase()).toContain(name);
  });

  test('returns 304 without a body and with the same Vary for a known ETag', async () => {
    const first = await fetchEncoded(await path(), 'br');
    const etag = first.response.headers.get('etag') ?? '';
    // The ETag is weak because all encodings share it.
    expect(etag).toMatch(/^W\/"/);
    const { response, body } = await fetchEncoded(await path(), 'br', etag);
    expect(response.status).toBe(304);
    expect(body.length).toBe(0);
    expect(response.headers.get('etag')).toBe(etag);
    expect(response.headers.get('vary')).toBe(first.response.headers.get('vary'));
    expect((await fetchEncoded(await path(), 'br', 'W/"another"')).response.status).toBe(200);
  });
});

test('a static file is served as compressed by the build, with one ETag per encoding', async () => {
  const html = (await fetchEncoded('/', 'identity')).body.toString();
  const script = /data-scripts="([^" ]+)/.exec(html)?.[1] ?? '';
  const tags = new Set<string>();
  for (const [encoding, accepted, ending] of [
    ['br', 'gzip, br', '.br'],
    ['gzip', 'gzip', '.gz'],
    ['identity', 'identity', ''],
  ] as const) {
    const encoded = await fetchEncoded(script, accepted);
    expect(encoded.encoding).toBe(encoding);
    expect(encoded.body.equals(readFileSync(`dist/web${script}${ending}`))).toBe(true);
    const { headers } = encoded.response;
    expect(headers.get('vary')).toBe('accept-encoding');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const etag = headers.get('etag') ?? '';
    tags.add(etag);
    expect((await fetchEncoded(script, accepted, etag)).response.status).toBe(304);
  }
  expect(tags.size).toBe(3);
});
