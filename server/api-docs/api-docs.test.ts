import { expect, test } from 'vitest';
import type { Call } from '../../contract/call.ts';
import { contract } from '../../contract/contract.ts';
import { identityCalls } from '../../contract/identity.ts';
import { askPath, byCookie, byToken } from '../../tests/support/ask.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const read = (shop: TestShop, headers: Record<string, string>, method = 'GET') =>
  askPath(shop, method, '/api/docs', { headers });

test('only an admin reads it; a visitor signs in and comes back, a customer is told whom it is for', async () => {
  await using shop = await startShop();
  const visitor = await read(shop, {});
  expect([visitor.status, visitor.headers.get('location')]).toEqual([302, '/login?from=%2Fapi%2Fdocs']);
  const customer = await read(shop, byCookie(await shop.signUp()));
  expect(customer.status).toBe(403);
  const refusal = await customer.text();
  expect(refusal).toContain('For admins');
  expect(refusal).not.toContain('/orders');
  const admin = await shop.admin();
  expect((await read(shop, byCookie(admin))).status).toBe(200);
  expect((await read(shop, byToken(admin))).status).toBe(200);
  expect((await read(shop, byCookie(admin), 'POST')).status).toBe(405);
  // Somebody with an account goes straight back, too.
  const back = await shop.send('/login?from=%2Fapi%2Fdocs', {}, admin);
  expect(back.headers.get('location')).toBe('/api/docs');
});

test('its policy lets in files of the shop and its one style sheet, and nothing else', async () => {
  await using shop = await startShop();
  const response = await read(shop, byCookie(await shop.admin()));
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[^']+';/);
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:|blob:/);
  expect(response.headers.get('cache-control')).toBe('private, no-cache');

  const page = await response.text();
  expect(page).not.toMatch(/ style="| on\w+="/);
  const asked = [...page.matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(asked).toHaveLength(4);
  for (const address of asked) {
    const file = await shop.send(address, { headers: { 'accept-encoding': 'br' } });
    expect([address, file.status]).toEqual([address, 200]);
    expect(file.headers.get('cache-control')).toContain('immutable');
  }
});

test('every call stands in it, with a form that sends it', async () => {
  await using shop = await startShop();
  const page = await (await read(shop, byCookie(await shop.admin()))).text();
  for (const [name, call] of Object.entries<Call>({ ...contract, ...identityCalls })) {
    expect(page).toContain(`<details class="call" id="${name}">`);
    const path = `${name === 'uploadImage' ? '' : '/api'}${call.path.replace(/:(\w+)/g, '{$1}')}`;
    const form = page.includes(`data-method="${call.method}" data-path="${path}"`);
    // What the provider signs nobody else can send.
    expect([name, form]).toEqual([name, call.who !== 'provider']);
  }
});

test('an e-mail with markup in it stays a text', async () => {
  await using shop = await startShop();
  const admin = await shop.admin();
  const email = '"><img/src=x>@example.com';
  await shop.database.db.updateTable('user').set({ email }).where('email', '=', admin.email).execute();
  const page = await (await read(shop, byCookie(admin))).text();
  expect(page).not.toContain('<img');
  expect(page).toContain('&quot;&gt;&lt;img/src=x&gt;@example.com');
});
