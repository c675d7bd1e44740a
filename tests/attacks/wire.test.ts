import { describe, expect, test } from 'vitest';
import { startShop, type TestShop } from '../support/shop.ts';
import { parseStatuses, sendRaw } from './raw.ts';

/** A shop that listens, how to send it raw text, and the headers that every request here begins with. */
async function open(settings: Record<string, string> = {}) {
  const shop = await startShop({ settings });
  await shop.listen();
  const { port } = shop.config;
  return { shop, send: (text: string) => sendRaw(port, text), host: `Host: localhost:${port}` };
}

/** Whether the shop still answers somebody else. */
async function isThere({ config }: TestShop): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${config.port}/healthz`)).ok;
}

describe('request smuggling', () => {
  // What a proxy in front takes for the body of one request must never be a second request here.
  const hidden = 'GET /api/order HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const chunked = `5\r\nhello\r\n0\r\n\r\n`;

  test.each([
    ['both lengths', `Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ['both, the other way round', `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n`],
    ['a list of lengths', `Content-Length: 0, ${hidden.length}\r\n\r\n`],
    ['a length with a sign', 'Content-Length: +0\r\n\r\n'],
    ['a length that is not whole', 'Content-Length: 0x0\r\n\r\n'],
    ['an encoding that is not chunked', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['chunked, and then something else', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a header name with a space behind it', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a header that goes on in the next line', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n\r\n'],
    ['lines that end with a bare LF', 'X: y\nContent-Length: 0\r\n\r\n'],
    ['lines that end with a bare CR', 'X: y\rContent-Length: 0\r\n\r\n'],
    ['a chunk whose length is no number', 'Transfer-Encoding: chunked\r\n\r\nxyz\r\n0\r\n\r\n'],
    ['a chunk that is longer than it says', 'Transfer-Encoding: chunked\r\n\r\n1\r\nhello\r\n0\r\n\r\n'],
    ['a NUL in a header', 'X: a\0b\r\nContent-Length: 0\r\n\r\n'],
  ])('%s: refused, the connection ends, and what comes behind is not read', async (_, rest) => {
    const { shop, send, host } = await open();
    await using _shop = shop;
    const heard = await send(`POST /api/webhooks/stripe HTTP/1.1\r\n${host}\r\n${rest}${hidden}`);
    expect(parseStatuses(heard)).toEqual([400]);
    expect(await isThere(shop)).toBe(true);
  });

  test('a body ends where it says, and the next request is one of its own', async () => {
    const { shop, send, host } = await open();
    await using _shop = shop;
    const next = `GET /healthz HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const begin = `POST /api/webhooks/stripe HTTP/1.1\r\n${host}\r\n`;
    // Refused for its signature (400), not for its form: the connection goes on.
    expect(
      parseStatuses(await send(`${begin}Content-Length: ${hidden.length}\r\n\r\n${hidden}${next}`)),
    ).toEqual([400, 200]);
    const heard = await send(`${begin}Transfer-Encoding: chunked\r\n\r\n${chunked}${next}`);
    expect(parseStatuses(heard)).toEqual([400, 200]);
  });

  test('a request that is refused before its body was read does not leave it to be the next request', async () => {
    const { shop, send, host } = await open();
    await using _shop = shop;
    const next = `GET /healthz HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const body = hidden.repeat(2000);
    for (const path of ['/api/product', '/api/auth/sign-in/email', '/1/upload', '/nowhere', '/images/x']) {
      const heard = await send(
        `POST ${path} HTTP/1.1\r\n${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}${next}`,
      );
      const [first, ...more] = parseStatuses(heard);
      // 403: without Origin. Then the next one, or the end of the connection.
      expect([path, first]).toEqual([path, 403]);
      expect([path, [[], [200]].some((fine) => String(fine) === String(more))]).toEqual([path, true]);
    }
  });

  test('the host is the one that the request is for, however it is written', async () => {
    const { shop, send, host } = await open();
    await using _shop = shop;
    const end = 'Connection: close\r\n\r\n';
    const ask = async (line: string, hosts: string) =>
      parseStatuses(await send(`${line}\r\n${hosts}\r\n${end}`));
    expect(await ask('GET /api/products HTTP/1.1', host)).toEqual([200]);
    expect(await ask('GET http://evil.example/api/products HTTP/1.1', host)).toEqual([421]);
    expect(await ask('GET /api/products HTTP/1.1', 'Host: evil.example')).toEqual([421]);
    expect(await ask('GET /api/products HTTP/1.1', 'X: y')).toEqual([400]);
    for (const two of [
      `Host: evil.example\r\n${host}`,
      `${host}\r\nhOST: evil.example`,
      `${host}\r\n${host}`,
    ]) {
      expect([two, await ask('GET /api/products HTTP/1.1', two)]).toEqual([two, [400]]);
      expect([two, await ask('GET /healthz HTTP/1.1', two)]).toEqual([two, [400]]);
      expect([two, await ask('GET /sandbox/google/jwks HTTP/1.1', two)]).toEqual([two, [400]]);
    }
    expect(await ask('GET /api/products HTTP/1.1', `${host}@evil.example`)).not.toEqual([200]);
    // What is kept for everybody is not given out under another name either.
    expect(await ask('GET http://evil.example/api/products HTTP/1.1', host)).toEqual([421]);
  });
});

test('methods that nobody needs are refused, and none echoes what was sent', async () => {
  const { shop, send, host } = await open();
  await using _shop = shop;
  for (const method of ['TRACE', 'OPTIONS', 'PROPFIND', 'PURGE', 'SEARCH', 'LINK']) {
    const heard = await send(
      `${method} / HTTP/1.1\r\n${host}\r\nOrigin: ${shop.origin}\r\nX-Mine: s3cret\r\nConnection: close\r\n\r\n`,
    );
    expect([method, parseStatuses(heard)]).toEqual([method, [405]]);
    expect(heard).not.toContain('s3cret');
  }
  const connect = await send(`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n\r\n`);
  expect(parseStatuses(connect)).not.toContain(200);
  const upgrade = await send(
    `GET /healthz HTTP/1.1\r\n${host}\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`,
  );
  expect(parseStatuses(upgrade)).not.toContain(101);
  expect(await isThere(shop)).toBe(true);
});

test('giant headers and addresses are refused before anything is done with them', async () => {
  const { shop, send, host } = await open();
  await using _shop = shop;
  const end = `${host}\r\nConnection: close\r\n\r\n`;
  expect(parseStatuses(await send(`GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n${end}`))).toEqual([431]);
  expect(parseStatuses(await send(`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(5000)}${end}`))).toEqual([431]);
  expect(parseStatuses(await send(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${end}`))).toEqual([431]);
  expect(parseStatuses(await send(`GET / HTTP/1.1\r\nCookie: ${'a=b; '.repeat(5000)}\r\n${end}`))).toEqual([
    431,
  ]);
  // What just fits is read, and is no fault of the shop.
  for (const path of ['/', '/api/products', '/login?from=', '/api/products?after=']) {
    const [status] = parseStatuses(await send(`GET ${path}${'/a'.repeat(7000)} HTTP/1.1\r\n${end}`));
    expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code < 500 && code !== 431)]);
  }
  const cookie = `Cookie: ${'a=b; '.repeat(3000)}shop.session_token=x.y`;
  expect(parseStatuses(await send(`GET /dashboard HTTP/1.1\r\n${cookie}\r\n${end}`))).toEqual([302]);
  expect(await isThere(shop)).toBe(true);
});
