import { expect, test } from 'vitest';
import { email } from '../../contract/fields.ts';
import { askIdentity, askPath, byToken } from '../support/ask.ts';
import { startShop } from '../support/shop.ts';

/** Texts that take a pattern with a choice in it thousands of tries at each of their characters. */
const nasty = (size: number): string[] => [
  `a@${'a.'.repeat(size / 2)}@`,
  `a@${'.'.repeat(size)}@`,
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
];

/** The quickest of some tries, in milliseconds: the machine may have had something else to do. */
async function time(work: () => unknown): Promise<number> {
  const took: number[] = [];
  for (let tries = 0; tries < 5 && (took.at(-1) ?? 200) >= 200; tries++) {
    const start = performance.now();
    await work();
    took.push(performance.now() - start);
  }
  return Math.min(...took);
}

// Tens of milliseconds at most, where a pattern that tries again and again takes seconds.
test('no text makes a field of a form think for long', async () => {
  await using shop = await startShop({
    limits: { signUpsForAddress: 1000, signInsForAddress: 1000, signInsForAddressAndEmail: 1000 },
  });
  const person = await shop.signUp();
  const admin = await shop.admin();
  const product = { name: 'B', price: 1, o_quantity: 1, a_quantity: 1, description: 'C', img: '/images/x' };
  for (const text of nasty(90_000)) {
    const calls: [string, () => Promise<Response>][] = [
      ['sign-in', () => askIdentity(shop, '/sign-in/email', { email: text, password: 'a' })],
      ['sign-up', () => askIdentity(shop, '/sign-up/email', { email: text, name: 'a', password: 'abcdef' })],
      ['name', () => askIdentity(shop, '/sign-up/email', { email: 'a@b.c', name: text, password: 'a' })],
      ['order', () => ask('POST', '/api/orders', { orderId: text, orderQuantity: 1, price: 1, user: text })],
      ['profile', () => ask('PUT', `/api/user/${person.email}`, { email: text, address: text })],
      ['review', () => ask('POST', '/api/review', { rating: 5, reviews: text, img: text })],
      ['product', () => ask('POST', '/api/product', { ...product, email: text, img: text }, admin)],
      ['number', () => ask('POST', '/api/create-payment-intent', { price: text, order: text })],
    ];
    for (const [name, call] of calls) {
      const took = await time(async () => expect((await call()).status).toBeLessThan(500));
      expect([name, text.slice(0, 12), took]).toEqual([name, text.slice(0, 12), expect.toSatisfy(isShort)]);
    }
  }

  function ask(method: string, path: string, body: object, who = person) {
    return askPath(shop, method, path, { body, headers: byToken(who) });
  }
});

test('no text makes a header or an address think for long', async () => {
  await using shop = await startShop({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  // As long as Node lets headers be.
  for (const text of nasty(15_000).filter((each) => !/[\0\t]/.test(each))) {
    const value = text.trim();
    const asks: [string, Request][] = [
      ...['accept-encoding', 'if-none-match', 'authorization', 'cookie', 'x-forwarded-for', 'content-type']
        .flatMap((name) => ['/', '/api/products', '/1/upload'].map((path) => [name, path] as const))
        .map(([name, path]): [string, Request] => {
          const method = path === '/1/upload' ? 'POST' : 'GET';
          const prefix = { authorization: 'Bearer ', 'content-type': 'multipart/form-data;' }[name] ?? '';
          const headers = { origin: shop.origin, [name]: prefix + value };
          return [name, new Request(shop.origin + path, { method, headers })];
        }),
      ['path', new Request(`${shop.origin}/${encodeURI(value)}`)],
      ['page', new Request(`${shop.origin}/purchase/${encodeURI(value)}`)],
      ['from', new Request(`${shop.origin}/login?from=/${encodeURI(value)}`)],
      ['query', new Request(`${shop.origin}/api/products?limit=${encodeURI(value)}`)],
      ['id', new Request(`${shop.origin}/api/products/${encodeURIComponent(value)}`)],
    ];
    for (const [name, request] of asks) {
      const took = await time(async () =>
        expect((await shop.fetch(request.clone())).status).toBeLessThan(500),
      );
      expect([name, text.slice(0, 12), took]).toEqual([name, text.slice(0, 12), expect.toSatisfy(isShort)]);
    }
  }
});

const isShort = (took: number) => took < 200;

test('the pattern of an e-mail address says what it said before it was made quick', () => {
  const slow = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
  const signs = ['a', '.', '@', ' '];
  const texts = [''];
  for (let at = 0; texts.length < 6000; at++) texts.push(...signs.map((sign) => `${texts[at]}${sign}`));
  for (const text of texts)
    expect([text, email.safeParse(text).success]).toEqual([text, slow.test(text.trim())]);
});
