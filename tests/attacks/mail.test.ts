import { expect, test } from 'vitest';
import { cookieHeaders, sendRequest, type TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/** Adds a message to the inbox, and returns its path. */
async function receive(shop: TestShop, headers: string, html: string): Promise<string> {
  await shop.inbox.add(['tom@mail.example'], `${headers}Content-Type: text/html\r\n\r\n${html}`);
  const [{ id } = { id: '' }] = await shop.inbox.list();
  return `/sandbox/mail/${id}`;
}

test('if others can reach the sandbox, only admins read its mail', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const [tom, admin] = [await shop.signUp(), await shop.admin()];
  const message = await receive(shop, 'Subject: Reset your password\r\n', '<p>Secret link</p>');
  const visit = (path: string, method = 'GET', person?: TestUser) =>
    sendRequest(shop, method, path, person ? { headers: cookieHeaders(person) } : {});
  for (const person of [undefined, tom])
    for (const path of [
      '/sandbox/mail',
      '/sandbox/mail/',
      message,
      `${message}/frame`,
      `${message}?view=source`,
    ])
      for (const method of ['GET', 'HEAD']) {
        const response = await visit(path, method, person);
        expect([path, response.status, response.headers.get('location')]).toEqual([
          path,
          303,
          '/login?reason=admin',
        ]);
      }
  for (const path of ['/sandbox//mail', '/sandbox/%6dail', '/sandbox/Mail', '/sandbox/x/../mail%2f'])
    expect(await (await visit(path)).text()).not.toContain('Reset your password');
  expect(await (await visit('/sandbox/mail', 'GET', admin)).text()).toContain('Reset your password');
});

test('if a proxy on the same machine forwards others to the sandbox, only admins read its mail', async () => {
  await using shop = await startShop();
  const [tom, admin] = [await shop.signUp(), await shop.admin()];
  const path = await receive(shop, 'Subject: Reset your password\r\n', '<p>Secret link</p>');
  const visit = (headers: Record<string, string>) => sendRequest(shop, 'GET', path, { headers });
  expect(await (await visit({})).text()).toContain('Reset your password');
  for (const header of [
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'Forwarded',
    'Via',
    'X-Real-IP',
  ])
    for (const person of [undefined, tom, admin]) {
      const { status } = await visit({ [header]: 'x', ...(person ? cookieHeaders(person) : {}) });
      expect([header, person?.name, status]).toEqual([header, person?.name, person === admin ? 200 : 303]);
    }
});

test('a hostile message runs no script and cannot leave its frame', async () => {
  await using shop = await startShop();
  const path = await receive(
    shop,
    'Subject: <script>alert(1)</script>\r\nFrom: "<b>Eve" <eve@mail.example>\r\n',
    '<script>alert(1)</script><a href="javascript:alert(1)">x</a><form action="https://evil.example"></form>',
  );
  for (const page of ['/sandbox/mail', path, `${path}?view=text`, `${path}?view=source`]) {
    const response = await sendRequest(shop, 'GET', page);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    );
    expect(await response.text()).not.toMatch(/<script|<b>Eve|href="javascript:/);
  }
  const frame = await sendRequest(shop, 'GET', `${path}/frame`);
  const policy = frame.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).toMatch(/; sandbox allow-top-navigation-by-user-activation allow-popups$/);
  expect(policy).toContain("form-action 'none'");
  expect(policy).not.toMatch(/script-src|allow-scripts|allow-same-origin/);
  expect((await sendRequest(shop, 'POST', path)).status).toBe(405);
  expect((await sendRequest(shop, 'GET', '/sandbox/mail/unknown')).status).toBe(404);
});
