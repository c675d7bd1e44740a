import { expect, test } from 'vitest';
import { bounds as decided } from '../../server/listen.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { listen } from '../support/statements.ts';
import { openRaw, statuses } from './raw.ts';

/** Times as short as a test can wait; a client that is not slow is far within them. */
const bounds = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };

/** Writes a piece every now and then, for as long as the connection is there. */
async function dribble(shop: TestShop, begin: string, piece: string): Promise<string> {
  const { socket, closed, write } = await openRaw(shop.config.port);
  write(begin);
  const going = setInterval(() => socket.writable && write(piece), 20);
  const heard = await closed;
  clearInterval(going);
  return heard;
}

test('a client that sends its headers without end is answered 408 and closed', async () => {
  await using shop = await startShop({ bounds });
  await shop.listen();
  const line = `GET / HTTP/1.1\r\nHost: localhost:${shop.config.port}\r\n`;
  // What it writes behind its end may cost it the answer.
  expect([[408], []]).toContainEqual(statuses(await dribble(shop, line, 'a: b\r\n')));
  // One that says nothing any more is no other.
  const { closed, write } = await openRaw(shop.config.port);
  write(line);
  expect(statuses(await closed)).toEqual([408]);
});

test('a client that sends its body without end is closed, and has changed nothing', async () => {
  await using shop = await startShop({ bounds });
  const person = await shop.signUp();
  await shop.listen();
  const { port } = shop.config;
  const begin = (path: string, type: string) =>
    [
      `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${person.token}`,
      `Content-Type: ${type}\r\nContent-Length: 90000\r\n\r\n`,
    ].join('\r\n');
  for (const [path, type] of [
    ['/api/review', 'application/json'],
    ['/1/upload', 'multipart/form-data; boundary=x'],
    ['/api/auth/sign-out', 'application/json'],
  ] as const) {
    expect([[408], [400], []]).toContainEqual(statuses(await dribble(shop, begin(path, type), ' ')));
  }
  expect(await shop.client(person).call('isAdmin', { params: { email: person.email } })).toEqual({
    admin: false,
  });
});

test('a client that does not read its answers gives its place to the next one', async () => {
  // One place: whoever comes meanwhile is closed unanswered, whoever comes after it is served.
  await using shop = await startShop({ bounds: { idleTimeout: 300, maxConnections: 1 } });
  await shop.listen();
  const { port } = shop.config;
  const address = `http://127.0.0.1:${port}/`;
  const { socket, closed, write } = await openRaw(port);
  socket.pause();
  write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`.repeat(2000));
  expect(await fetch(address).catch(() => 'closed')).toBe('closed');
  await expect
    .poll(() =>
      fetch(address, { headers: { connection: 'close' } }).then(
        ({ status }) => status,
        () => 'closed',
      ),
    )
    .toBe(200);
  // What it had is lost to it: it was not kept for it.
  let heard = 0;
  socket.on('data', (text: string) => {
    heard += statuses(text).length;
  });
  socket.resume();
  await closed;
  expect(heard).toBeLessThan(2000);
});

test('a thousand requests in one piece keep nobody waiting: those that are not answered yet are few', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { port } = shop.config;
  const { closed, write } = await openRaw(port);
  // With a cookie each page is made anew.
  write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: a=b\r\n\r\n`.repeat(1000));
  expect(statuses(await closed)).toEqual([...Array(decided.requestsAtOnce).fill(200), 503]);
});

test('what many ask for at the same moment is made once', async () => {
  await using shop = await startShop();
  const ask = () => shop.fetch(new Request(`${shop.origin}/api/products`));
  const { result, of } = await listen(() => Promise.all(Array.from({ length: 50 }, ask)));
  expect(result.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(of(shop.database.db)).toHaveLength(1);
});
