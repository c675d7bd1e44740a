import { describe, expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { cookieHeaders, sendRequest, tokenHeaders } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

const hostile = [
  `<script>alert(1)</script>`,
  `</script><script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `'-alert(1)-'`,
  `<!--<script>`,
  `]]><svg onload=alert(1)>`,
  `{{7*7}}\${7*7}<%= 7*7 %>`,
  `\u2028alert(1)\u2029`,
  `=HYPERLINK("https://evil.example")`,
];

test('user input is escaped on every page that shows it', async () => {
  await using shop = await startShop();
  const admin = await shop.admin();
  for (const text of hostile) {
    const tom = await shop.signUp(text.replace(/[\u2028\u2029]/g, ' '));
    const product = await shop.addProduct({ name: text, description: text });
    const { _id, img } = product;
    await shop.client(tom).call('addReview', { body: { rating: 5, reviews: text, img } });
    const body = { orderId: _id, orderQuantity: 1, price: 12.5, user: tom.email, phone: text, address: text };
    const { insertedId } = await shop.client(tom).call('placeOrder', { body });
    const fields = { address: text, phone: text, education: text, linkedIn: text };
    // An invalid value that is already stored may be saved again.
    const stored = shop.database.db.updateTable('user').set({ linkedIn: text.trim() });
    await stored.where('email', '=', tom.email).execute();
    await shop.client(tom).call('saveUser', { params: { email: tom.email }, body: fields });
    const desk = shop.client(admin);
    const change = { change: 1, reason: 'count' as const, note: text };
    await desk.call('adjustStock', { params: { id: _id }, body: change });
    await desk.call('addOrderNote', { params: { id: insertedId }, body: { text } });
    const { version } = await desk.call('getShopDetails', {});
    await desk.call('saveShopDetails', { body: { version, name: 'Shop', address: text, taxId: '' } });
    const query = encodeURIComponent(text.replace(/[\u2028\u2029]/g, ' '));
    const requests: [string, typeof tom | undefined][] = [
      ...['/', '/products', `/login?from=${encodeURIComponent(text)}`].map((path): [string, undefined] => [
        path,
        undefined,
      ]),
      ...[
        '/products',
        `/purchase/${_id}`,
        '/dashboard',
        '/dashboard/myOrder',
        `/dashboard/payment/${insertedId}`,
        `/dashboard/orders/${insertedId}`,
        '/dashboard/review',
        '/myPortfolio',
      ].map((path): [string, typeof tom] => [path, tom]),
      ...[
        '/dashboard',
        `/dashboard/users?q=${query}`,
        `/dashboard/allOrders?q=${query}`,
        `/dashboard/manageProduct?q=${query}`,
        `/dashboard/audit?actor=${query}`,
        ...['users', 'allOrders', 'manageProduct', 'audit', 'stock', 'shop'].map(
          (page) => `/dashboard/${page}`,
        ),
        ...[`orders/${insertedId}`, `products/${_id}`, `products/${_id}/stock`].map(
          (page) => `/dashboard/${page}`,
        ),
      ].map((path): [string, typeof tom] => [path, admin]),
    ];
    for (const [path, person] of requests) {
      const headers = person ? cookieHeaders(person) : {};
      const response = await sendRequest(shop, 'GET', path, { headers });
      if (person) expect([path, response.status]).toEqual([path, 200]);
      const page = await response.text();
      expect([path, /<script>alert|<img src=x|<svg onload|<!--<script|javascript:/.exec(page)?.[0]]).toEqual([
        path,
        undefined,
      ]);
      // Every script is a file of the shop, or data that browsers don't execute.
      for (const [tag] of page.matchAll(/<script\b[^>]*>/g))
        expect(tag).toMatch(/ src="\/(static|sandbox\/stripe\/v3)\/|type="application/);
      expect([path, /<[^>]*\son\w+=/.exec(page.replace(/"[^"]*"/g, '""'))?.[0]]).toEqual([path, undefined]);
    }
  }
});

describe.each(engines)('on %s', (engine) => {
  test('no input becomes part of an SQL statement', async () => {
    await using shop = await startShop({ engine });
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    const product = await shop.addProduct();
    const before = await shop.client().call('listProducts', {});
    for (const text of [
      `' or '1'='1`,
      `'; drop table product; --`,
      `" or ""="`,
      `\\'; delete from "user"; --`,
      `1) union select 1,2,3 --`,
      '%',
      '_',
      `$1`,
      `?`,
      `:id`,
    ]) {
      const requests: [string, string, Record<string, unknown>?][] = [
        ['GET', `/api/products/${encodeURIComponent(text)}`],
        ['GET', `/api/products?after=${encodeURIComponent(text)}`],
        ['GET', `/api/orders?user=${encodeURIComponent(text)}`],
        ['GET', `/api/orders/${encodeURIComponent(text)}`],
        ['DELETE', `/api/orders/${encodeURIComponent(text)}`],
        ['DELETE', `/api/products/${encodeURIComponent(text)}`],
        ['PUT', `/api/user/admin/${encodeURIComponent(`${text.replace(/\s/g, '')}@b.c`)}`],
        ['POST', '/api/orders', { orderId: text, orderQuantity: 1, price: 12.5, user: tom.email }],
        ['POST', '/api/review', { rating: 5, reviews: text, img: text }],
        ['POST', '/api/create-payment-intent', { price: 12.5, order: text }],
        ['POST', '/api/auth/sign-in/email', { email: `${text.replace(/\s/g, '')}@b.c`, password: text }],
        ['POST', '/api/auth/revoke-session', { token: text }],
      ];
      for (const [method, path, body] of requests) {
        for (const person of [tom, admin]) {
          const headers = { ...tokenHeaders(person), 'idempotency-key': encodeURIComponent(text) };
          const { status } = await sendRequest(shop, method, path, { headers, ...(body ? { body } : {}) });
          expect([method, path, status]).toEqual([
            method,
            path,
            expect.toSatisfy((code: number) => code < 500),
          ]);
        }
      }
      // Input is stored unchanged.
      const { insertedId } = await shop
        .client(tom)
        .call('addReview', { body: { rating: 5, reviews: text, img: product.img } });
      expect(
        (await shop.client().call('listReviews', {})).find(({ _id }) => _id === insertedId)?.reviews,
      ).toBe(text);
    }
    expect(await shop.client().call('listProducts', {})).toEqual(before);
  });
});

test('an email address or phone number cannot add anything to its link', async () => {
  await using shop = await startShop();
  const product = await shop.addProduct();
  const tom = await shop.signUp();
  // Another identity provider may allow such an address.
  const email = 'tom+a?bcc=eve&subject=a%0ab@example.com';
  await shop.database.db.updateTable('user').set({ email }).where('email', '=', tom.email).execute();
  const body = {
    orderId: product._id,
    orderQuantity: 1,
    price: 12.5,
    user: email,
    phone: '+49 30;ext=1?a=b#c',
  };
  await shop.client(tom).call('placeOrder', { body });
  const admin = cookieHeaders(await shop.admin());
  const page = await (await sendRequest(shop, 'GET', '/dashboard/allOrders', { headers: admin })).text();
  expect(page.match(/href="(mailto|tel):[^"]*"/g)).toEqual([
    'href="mailto:tom+a%3Fbcc%3Deve%26subject%3Da%250ab@example.com"',
    'href="tel:+4930%3Bext%3D1%3Fa%3Db%23c"',
  ]);
});
