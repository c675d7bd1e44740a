import { describe, expect, test } from 'vitest';
import { defaultResourceLimits } from '../../server/config/resource-limits.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { forgedSignature } from '../support/stripe-event.ts';
import { parseStatuses, sendRaw } from './raw.ts';

/** The shop reads the body of a webhook only with this header. */
const signature = `Stripe-Signature: ${forgedSignature}`;

/** A listening shop, a function that sends it raw text, and the Host header of every request. */
async function openShop(settings: Record<string, string> = {}) {
  const shop = await startShop({ settings });
  await shop.listen();
  const { port } = shop.config;
  return { shop, send: (text: string) => sendRaw(port, text), host: `Host: localhost:${port}` };
}

/** Whether the shop still responds to other clients. */
async function isHealthy({ config }: TestShop): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${config.port}/healthz`)).ok;
}

describe('request smuggling', () => {
  // The shop must never treat as a second request what a proxy considers the body of the first.
  const hidden = 'GET /api/order HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const chunked = `5\r\nhello\r\n0\r\n\r\n`;

  test.each([
    [
      'Content-Length and Transfer-Encoding',
      `Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`,
    ],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n`],
    ['a list of lengths', `Content-Length: 0, ${hidden.length}\r\n\r\n`],
    ['a length with a sign', 'Content-Length: +0\r\n\r\n'],
    ['a hexadecimal length', 'Content-Length: 0x0\r\n\r\n'],
    ['an encoding that is not chunked', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['chunked, followed by another encoding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a space after a header name', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a header folded onto the next line', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n\r\n'],
    ['lines that end in a bare LF', 'X: y\nContent-Length: 0\r\n\r\n'],
    ['lines that end in a bare CR', 'X: y\rContent-Length: 0\r\n\r\n'],
    ['a chunk length that is not a number', 'Transfer-Encoding: chunked\r\n\r\nxyz\r\n0\r\n\r\n'],
    ['a chunk that is longer than declared', 'Transfer-Encoding: chunked\r\n\r\n1\r\nhello\r\n0\r\n\r\n'],
    ['a NUL in a header', 'X: a\0b\r\nContent-Length: 0\r\n\r\n'],
  ])('%s: the request is rejected, the connection ends, and the rest is not read', async (_, rest) => {
    const { shop, send, host } = await openShop();
    await using _shop = shop;
    const received = await send(
      `POST /api/webhooks/stripe HTTP/1.1\r\n${host}\r\n${signature}\r\n${rest}${hidden}`,
    );
    expect(parseStatuses(received)).toEqual([400]);
    expect(await isHealthy(shop)).toBe(true);
  });

  test('a body ends at its declared length, and the next request is handled separately', async () => {
    const { shop, send, host } = await openShop();
    await using _shop = shop;
    const next = `GET /healthz HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const begin = `POST /api/webhooks/stripe HTTP/1.1\r\n${host}\r\n${signature}\r\n`;
    // 400 because of the signature: the request is well-formed, so the connection stays open.
    expect(
      parseStatuses(await send(`${begin}Content-Length: ${hidden.length}\r\n\r\n${hidden}${next}`)),
    ).toEqual([400, 200]);
    const received = await send(`${begin}Transfer-Encoding: chunked\r\n\r\n${chunked}${next}`);
    expect(parseStatuses(received)).toEqual([400, 200]);
  });

  test('the unread body of a rejected request is not handled as the next request', async () => {
    const { shop, send, host } = await openShop();
    await using _shop = shop;
    const next = `GET /healthz HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const body = hidden.repeat(2000);
    for (const path of ['/api/product', '/api/auth/sign-in/email', '/1/upload', '/nowhere', '/images/x']) {
      const received = await send(
        `POST ${path} HTTP/1.1\r\n${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}${next}`,
      );
      const [first, ...more] = parseStatuses(received);
      // The first response is 403, because Origin is missing. Then the next response follows, or the connection ends.
      expect([path, first]).toEqual([path, 403]);
      expect([path, [[], [200]].some((allowed) => String(allowed) === String(more))]).toEqual([path, true]);
    }
  });

  test('a request for another host is rejected, however it is written', async () => {
    const { shop, send, host } = await openShop();
    await using _shop = shop;
    const end = 'Connection: close\r\n\r\n';
    const request = async (line: string, hosts: string) =>
      parseStatuses(await send(`${line}\r\n${hosts}\r\n${end}`));
    expect(await request('GET /api/products HTTP/1.1', host)).toEqual([200]);
    expect(await request('GET http://evil.example/api/products HTTP/1.1', host)).toEqual([421]);
    expect(await request('GET /api/products HTTP/1.1', 'Host: evil.example')).toEqual([421]);
    expect(await request('GET /api/products HTTP/1.1', 'X: y')).toEqual([400]);
    for (const two of [
      `Host: evil.example\r\n${host}`,
      `${host}\r\nhOST: evil.example`,
      `${host}\r\n${host}`,
    ]) {
      expect([two, await request('GET /api/products HTTP/1.1', two)]).toEqual([two, [400]]);
      expect([two, await request('GET /healthz HTTP/1.1', two)]).toEqual([two, [400]]);
      expect([two, await request('GET /sandbox/google/jwks HTTP/1.1', two)]).toEqual([two, [400]]);
    }
    expect(await request('GET /api/products HTTP/1.1', `${host}@evil.example`)).not.toEqual([200]);
    // Cached responses are not served for another host either.
    expect(await request('GET http://evil.example/api/products HTTP/1.1', host)).toEqual([421]);
  });
});

test('unused methods are rejected, and none echoes the request', async () => {
  const { shop, send, host } = await openShop();
  await using _shop = shop;
  for (const method of ['TRACE', 'OPTIONS', 'PROPFIND', 'PURGE', 'SEARCH', 'LINK']) {
    const received = await send(
      `${method} / HTTP/1.1\r\n${host}\r\nOrigin: ${shop.origin}\r\nX-Mine: s3cret\r\nConnection: close\r\n\r\n`,
    );
    expect([method, parseStatuses(received)]).toEqual([method, [405]]);
    expect(received).not.toContain('s3cret');
  }
  const connect = await send(`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n\r\n`);
  expect(parseStatuses(connect)).not.toContain(200);
  const upgrade = await send(
    `GET /healthz HTTP/1.1\r\n${host}\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`,
  );
  expect(parseStatuses(upgrade)).not.toContain(101);
  expect(await isHealthy(shop)).toBe(true);
});

test('a compressed body is rejected, whichever header declares it, also for forms', async () => {
  const { shop, send, host } = await openShop();
  await using _shop = shop;
  const body = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  const form = 'application/x-www-form-urlencoded';
  for (const [path, type] of [
    ['/login', form],
    ['/api/auth/sign-in/email', 'application/json'],
  ])
    for (const encoding of ['Transfer-Encoding: gzip', 'Content-Encoding: gzip']) {
      const head = `POST ${path} HTTP/1.1\r\n${host}\r\nOrigin: ${shop.origin}\r\nContent-Type: ${type}\r\nConnection: close`;
      expect([path, encoding, parseStatuses(await send(`${head}\r\n${encoding}\r\n${body}`))]).toEqual([
        path,
        encoding,
        [400],
      ]);
    }
});

test('more than a hundred headers are rejected; of a hundred, none is ignored', async () => {
  const { shop, send, host } = await openShop();
  await using _shop = shop;
  // Without the last header, Host, the response is a 400.
  const get = (count: number) =>
    `GET /nowhere HTTP/1.1\r\nConnection: close\r\n${'a: b\r\n'.repeat(count - 2)}${host}\r\n\r\n`;
  expect(parseStatuses(await send(get(100)))).toEqual([404]);
  expect(parseStatuses(await send(get(101)))).toEqual([431]);
});

test('a request with an unknown Expect header is handled like any other, within the limits', async () => {
  const { shop, send, host } = await openShop();
  await using _shop = shop;
  const get = `GET /nowhere HTTP/1.1\r\n${host}\r\nCookie: a=b\r\nExpect: something\r\n`;
  expect(parseStatuses(await send(`${get}Connection: close\r\n\r\n`))).toEqual([404]);
  const pipelined = `${get}\r\n`.repeat(defaultResourceLimits.maxRequestsPerConnection + 1);
  expect(parseStatuses(await send(pipelined))).toEqual([]);
});

test('oversized headers and URLs are rejected before they are handled', async () => {
  const { shop, send, host } = await openShop();
  await using _shop = shop;
  const end = `${host}\r\nConnection: close\r\n\r\n`;
  expect(parseStatuses(await send(`GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n${end}`))).toEqual([431]);
  expect(parseStatuses(await send(`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(5000)}${end}`))).toEqual([431]);
  expect(parseStatuses(await send(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${end}`))).toEqual([431]);
  expect(parseStatuses(await send(`GET / HTTP/1.1\r\nCookie: ${'a=b; '.repeat(5000)}\r\n${end}`))).toEqual([
    431,
  ]);
  // Sizes just below the limit are accepted and cause no server error.
  for (const path of ['/', '/api/products', '/login?from=', '/api/products?after=']) {
    const [status] = parseStatuses(await send(`GET ${path}${'/a'.repeat(7000)} HTTP/1.1\r\n${end}`));
    expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code < 500 && code !== 431)]);
  }
  const cookie = `Cookie: ${'a=b; '.repeat(3000)}shop.session_token=x.y`;
  expect(parseStatuses(await send(`GET /dashboard HTTP/1.1\r\n${cookie}\r\n${end}`))).toEqual([302]);
  expect(await isHealthy(shop)).toBe(true);
});
