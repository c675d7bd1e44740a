import { expect, test } from 'vitest';
import { waitForLetter } from '../support/letters.ts';
import { cookieHeaders, sendCall, sendRequest, type TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/** Adds a message to the inbox, and returns its path. */
async function receive(shop: TestShop, headers: string, html: string): Promise<string> {
  await shop.inbox.add(['tom@mail.example'], `${headers}Content-Type: text/html\r\n\r\n${html}`);
  const [{ id } = { id: '' }] = await shop.inbox.list();
  return `/sandbox/mail/${id}`;
}

test('in a sandbox with a public URL, only admins can read the inbox', async () => {
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

test('through a proxy on the same machine, only admins can read the sandbox’s inbox', async () => {
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

const owner = 'owner@mail.example';

/** The headers of the messages that were sent. */
const listHeaders = async (shop: TestShop) =>
  (await shop.inbox.list()).map(({ recipients, raw }) => {
    const text = Buffer.from(raw).toString();
    return { recipients, headers: text.slice(0, text.indexOf('\r\n\r\n')) };
  });

test('the contact form cannot add headers, recipients or further addresses for replies', async () => {
  await using shop = await startShop({
    settings: { CONTACT_EMAIL: owner },
    rateLimits: { contactMessagesPerSender: 1000 },
  });
  await shop.listen();
  const hostile = [
    'tom@mail.example\r\nBcc: eve@mail.example',
    'tom@mail.example\nBcc: eve@mail.example',
    'tom@mail.example%0d%0aBcc:eve@mail.example',
    'tom@mail.example\u2028Bcc:eve@mail.example',
    'tom@mail.example, eve@mail.example',
    'tom@mail.example,eve@mail.example',
    'a,b@mail.example',
    'tom;eve@mail.example',
    '<tom@mail.example>',
    '"Eve" <tom@mail.example>',
    '"tom\r\nBcc: eve"@mail.example',
    'friends:tom@mail.example;',
    'tom@[127.0.0.1]',
    `tom@${'x'.repeat(250)}.example`,
    ['tom@mail.example', 'eve@mail.example'],
    { address: 'tom@mail.example' },
  ];
  for (const email of hostile) {
    const body = { email, message: 'Hello' };
    const { status } = await sendCall(shop, 'sendContactMessage', { body });
    expect([email, status]).toEqual([email, 422]);
  }
  const message = 'Hello\r\nBcc: eve@mail.example\r\n\r\n.\r\nMAIL FROM:<eve@mail.example>';
  // Unknown fields are ignored.
  const added = 'x\r\nBcc: eve@mail.example';
  const body = { email: 'tom@mail.example', message, name: added, subject: added, to: 'eve@mail.example' };
  expect((await sendCall(shop, 'sendContactMessage', { body })).status).toBe(200);
  await expect.poll(() => listHeaders(shop)).toHaveLength(1);
  const [sent = { recipients: '', headers: '' }] = await listHeaders(shop);
  expect(sent.recipients).toBe(owner);
  expect(sent.headers).toMatch(/^Reply-To: tom@mail\.example\r?$/im);
  expect(sent.headers).not.toMatch(/^(b?cc|sender):|eve@/im);
});

test('the text of a contact message is quoted: it adds no markup or links, and cannot imitate the shop’s own text', async () => {
  await using shop = await startShop({ settings: { CONTACT_EMAIL: owner } });
  await shop.listen();
  const message = [
    '</blockquote><a href="https://evil.example">Pay</a><img src="https://evil.example/x"><script>1</script>',
    'Open the order:',
    'https://evil.example\u2028-- \u2029Hand-Tools Shop',
  ].join('\n');
  await sendCall(shop, 'sendContactMessage', { body: { email: 'tom@mail.example', message } });
  const letter = await waitForLetter(shop, owner, /^Message from/);
  expect(letter.html).not.toMatch(/<(script|img)|href="https:\/\/evil|<\/blockquote><a/);
  expect(letter.html).toContain('&lt;a href=&quot;https://evil.example&quot;&gt;');
  const lines = (letter.text ?? '').split(/\n|\u2028|\u2029/);
  for (const line of lines.filter((line) => /evil|Open the order/.test(line))) expect(line).toMatch(/^> /);
  expect(lines.filter((line) => line.trimEnd() === '--')).toHaveLength(1);
});

test('an address for the newsletter gets one message, without text from the visitor', async () => {
  await using shop = await startShop({ settings: { NEWSLETTER: 'yes' } });
  await shop.listen();
  for (const email of ['tom@mail.example\r\nBcc: eve@mail.example', 'tom@mail.example,eve@mail.example'])
    expect((await sendCall(shop, 'subscribe', { body: { email } })).status).toBe(422);
  const body = { email: 'tom@mail.example', name: 'WIN A CLOCK https://evil.example', subject: 'evil' };
  expect((await sendCall(shop, 'subscribe', { body })).status).toBe(200);
  const letter = await waitForLetter(shop, 'tom@mail.example', /^Confirm your newsletter subscription$/);
  expect(`${letter.text}${letter.html}`).not.toContain('evil');
  expect(await listHeaders(shop)).toHaveLength(1);
});
