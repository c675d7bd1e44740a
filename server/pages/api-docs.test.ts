import { expect, test } from 'vitest';
import { cookieHeaders, sendRequest, tokenHeaders } from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const read = (shop: TestShop, headers: Record<string, string>, method = 'GET') =>
  sendRequest(shop, method, '/api/docs', { headers });

test('GET /api/docs is for admins: visitors are sent to sign in, other users get 403', async () => {
  await using shop = await startShop();
  const visitor = await read(shop, {});
  expect([visitor.status, visitor.headers.get('location')]).toEqual([302, '/login?from=%2Fapi%2Fdocs']);
  const customer = await read(shop, cookieHeaders(await shop.signUp()));
  expect(customer.status).toBe(403);
  expect(await customer.text()).not.toContain('<script');
  const admin = await shop.admin();
  expect((await read(shop, cookieHeaders(admin))).status).toBe(200);
  expect((await read(shop, tokenHeaders(admin))).status).toBe(200);
  expect((await read(shop, cookieHeaders(admin), 'POST')).status).toBe(405);
  // An admin who is signed in already goes straight back.
  const back = await shop.send('/login?from=%2Fapi%2Fdocs', {}, admin);
  expect(back.headers.get('location')).toBe('/api/docs');
});

test('GET /api/docs loads immutable files of the shop, and its policy allows scripts from nowhere else', async () => {
  await using shop = await startShop();
  const response = await read(shop, cookieHeaders(await shop.admin()));
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*|blob:/);
  const addresses = [...(await response.text()).matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)];
  expect(addresses).toHaveLength(4);
  for (const [, address = ''] of addresses) {
    const file = await shop.send(address, { headers: { 'accept-encoding': 'br' } });
    expect([address, file.status]).toEqual([address, 200]);
    expect(file.headers.get('cache-control')).toContain('immutable');
  }
});
