import { expect, test } from 'vitest';
import { email } from '../../contract/fields.ts';
import { sendAuthRequest, sendRequest, tokenHeaders } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

/** Combining marks that Unicode sorts by their class: in the opposite order, that takes quadratic time. */
const sortMarks = (size: number): string =>
  ['\u0345', '\u0301', '\u0316', '\u031b', '\u0327', '\u0334'].map((mark) => mark.repeat(size / 12)).join('');

/** Inputs that make a backtracking regular expression take quadratic time or worse. */
const backtrackingInputs = (size: number): string[] => [
  `a@${'a.'.repeat(size / 2)}@`,
  `a@${'.'.repeat(size)}@`,
  `a@b${sortMarks(size)}.c`,
  `${'a'.repeat(size)}@`,
  `${'@a.'.repeat(size / 3)}`,
  `${' '.repeat(size)}a`,
  `a${' '.repeat(size)}a`,
  `${'\t'.repeat(size)}\0`,
  `${'%'.repeat(size)}`,
  `${'/..'.repeat(size / 3)}`,
  `${';q=0.0'.repeat(size / 6)}!`,
  `br${';q=0'.repeat(size / 4)}${'0'.repeat(size / 4)}x`,
  `${','.repeat(size)}`,
  `${'/'.repeat(size)}a`,
  `a${'/'.repeat(size)}a`,
  `a${'/'.repeat(size)}`,
];

/** Such inputs percent-encoded, in URLs just below the limit of 4,000 characters. */
const backtrackingPaths = [3880, 1290]
  .flatMap((size) => backtrackingInputs(size).map((text) => encodeURI(text.trim())))
  .filter((path) => path.length <= 3900);

/** The shortest of up to five runs, in ms, because the machine may be busy with other work. */
async function measureMs(work: () => unknown): Promise<number> {
  const durations: number[] = [];
  for (let run = 0; run < 5 && (durations.at(-1) ?? 200) >= 200; run++) {
    const start = performance.now();
    await work();
    durations.push(performance.now() - start);
  }
  return Math.min(...durations);
}

// Validation takes tens of milliseconds at most; a backtracking pattern takes seconds.
test('no input makes the validation of a form field slow', async () => {
  await using shop = await startShop({
    rateLimits: { signUpsPerAddress: 1000, signInsPerAddress: 1000, signInsPerAddressAndEmail: 1000 },
  });
  const person = await shop.signUp();
  const admin = await shop.admin();
  const product = { name: 'B', price: 1, o_quantity: 1, a_quantity: 1, description: 'C', img: '/images/x' };
  for (const text of backtrackingInputs(90_000)) {
    const calls: [string, () => Promise<Response>][] = [
      ['sign-in', () => sendAuthRequest(shop, '/sign-in/email', { email: text, password: 'a' })],
      [
        'sign-up',
        () => sendAuthRequest(shop, '/sign-up/email', { email: text, name: 'a', password: 'abcdef' }),
      ],
      [
        'password',
        () => sendAuthRequest(shop, '/sign-up/email', { email: 'a@b.example', name: 'a', password: text }),
      ],
      ['name', () => sendAuthRequest(shop, '/sign-up/email', { email: 'a@b.c', name: text, password: 'a' })],
      ['order', () => send('POST', '/api/orders', { orderId: text, orderQuantity: 1, price: 1, user: text })],
      ['profile', () => send('PUT', `/api/user/${person.email}`, { email: text, address: text })],
      ['review', () => send('POST', '/api/review', { rating: 5, reviews: text, img: text })],
      ['product', () => send('POST', '/api/product', { ...product, email: text, img: text }, admin)],
      ['number', () => send('POST', '/api/create-payment-intent', { price: text, order: text })],
    ];
    for (const [name, call] of calls) {
      const durationMs = await measureMs(async () => expect((await call()).status).toBeLessThan(500));
      expect([name, text.slice(0, 12), durationMs]).toEqual([
        name,
        text.slice(0, 12),
        expect.toSatisfy(isShort),
      ]);
    }
  }

  function send(method: string, path: string, body: object, user = person) {
    return sendRequest(shop, method, path, { body, headers: tokenHeaders(user) });
  }
});

test('no header makes a request slow', async () => {
  await using shop = await startShop({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  // Close to Node's limit for headers.
  for (const text of backtrackingInputs(15_000).filter((input) => !/[^ -~]/.test(input))) {
    const value = text.trim();
    const names = [
      'accept-encoding',
      'if-none-match',
      'authorization',
      'cookie',
      'x-forwarded-for',
      'content-type',
    ];
    const requests = names
      .flatMap((name) => ['/', '/api/products', '/1/upload'].map((path) => [name, path] as const))
      .map(([name, path]): [string, Request] => {
        const method = path === '/1/upload' ? 'POST' : 'GET';
        const prefix = { authorization: 'Bearer ', 'content-type': 'multipart/form-data;' }[name] ?? '';
        const headers = { origin: shop.origin, [name]: prefix + value };
        return [name, new Request(shop.origin + path, { method, headers })];
      });
    for (const [name, request] of requests) {
      const durationMs = await measureMs(async () =>
        expect((await shop.fetch(request.clone())).status).toBeLessThan(500),
      );
      expect([name, text.slice(0, 12), durationMs]).toEqual([
        name,
        text.slice(0, 12),
        expect.toSatisfy(isShort),
      ]);
    }
  }
});

test('no URL makes a request slow', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  for (const path of backtrackingPaths)
    for (const start of [
      '/',
      '/purchase/',
      '/products/',
      '/images/',
      '/static/',
      '/api/products/',
      '/login?from=/',
      '/products?q=',
      '/api/products?limit=',
    ]) {
      const durationMs = await measureMs(async () => {
        const { status } = await shop.fetch(new Request(shop.origin + start + path));
        // Not 414, which would mean that no pattern was tried.
        expect([200, 301, 302, 303, 400, 404, 422]).toContain(status);
      });
      expect([start, path.slice(0, 12), durationMs]).toEqual([
        start,
        path.slice(0, 12),
        expect.toSatisfy(isShort),
      ]);
    }
});

const isShort = (durationMs: number) => durationMs < 200;

test('the pattern for email addresses accepts the same texts as its slow original', () => {
  const original = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
  const characters = ['a', '.', '@', ' '];
  const texts = [''];
  for (let index = 0; texts.length < 6000; index++)
    texts.push(...characters.map((character) => `${texts[index]}${character}`));
  for (const text of texts)
    expect([text, email.safeParse(text).success]).toEqual([text, original.test(text.trim())]);
});
