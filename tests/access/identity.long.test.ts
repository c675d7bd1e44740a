import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createAuth } from '../../server/identity/auth.ts';
import { cookieHeaders, sendRequest } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { readState } from './state.ts';
import { createVisitors } from './visitors.ts';

type Row = {
  access: 'everyone' | 'signed-in';
  /** The response to visitors with access. */
  status: number;
  body?: unknown;
  /** The call ends sessions. `server/identity/sessions.test.ts` tests it for signed-in visitors. */
  ends?: true;
};

/** The calls of Better Auth that the shop exposes; all others respond with 404 or 405. */
const table: Record<string, Row> = {
  // An invalid body: a visitor with access gets 400.
  'POST /sign-up/email': { access: 'everyone', status: 400, body: {} },
  'POST /sign-in/email': { access: 'everyone', status: 400, body: {} },
  'POST /sign-in/social': { access: 'everyone', status: 200, body: { provider: 'google' } },
  'GET /callback/google': { access: 'everyone', status: 302 },
  'GET /get-session': { access: 'everyone', status: 200 },
  'POST /link-social': { access: 'signed-in', status: 200, body: { provider: 'google' } },
  'POST /change-password': {
    access: 'signed-in',
    status: 400,
    body: { currentPassword: 'not-the-password', newPassword: 'verge' },
  },
  'POST /request-password-reset': { access: 'everyone', status: 400, body: {} },
  'POST /reset-password': { access: 'everyone', status: 400, body: {} },
  'POST /send-verification-email': { access: 'signed-in', status: 200, body: {} },
  'GET /list-sessions': { access: 'signed-in', status: 200 },
  'POST /revoke-session': { access: 'signed-in', status: 200, body: { token: 'unknown-token' } },
  'POST /revoke-sessions': { access: 'signed-in', status: 200, body: {}, ends: true },
  'POST /revoke-other-sessions': { access: 'signed-in', status: 200, body: {}, ends: true },
  'POST /two-factor/enable': { access: 'signed-in', status: 400, body: { password: 'not-the-password' } },
  'POST /two-factor/disable': { access: 'signed-in', status: 400, body: { password: 'not-the-password' } },
  'POST /two-factor/generate-backup-codes': {
    access: 'signed-in',
    status: 400,
    body: { password: 'not-the-password' },
  },
  // The request has no challenge.
  'POST /passkey/verify-registration': {
    access: 'signed-in',
    status: 400,
    body: { name: 'Phone', response: 'nothing' },
  },
  'POST /passkey/verify-authentication': { access: 'everyone', status: 400, body: {} },
  'GET /passkey/list-user-passkeys': { access: 'signed-in', status: 200 },
  'POST /passkey/delete-passkey': { access: 'signed-in', status: 422, body: { id: 'unknown' } },
  // These are for the second step of a sign-in, which server/identity/two-factor/two-factor.long.test.ts tests.
  'POST /two-factor/verify-totp': { access: 'everyone', status: 400, body: {} },
  'POST /two-factor/verify-backup-code': { access: 'everyone', status: 400, body: {} },
  'POST /sign-out': { access: 'everyone', status: 200, body: {}, ends: true },
};

/** The shop's own identity calls, which Better Auth does not have. */
const ownTable: Record<string, Row> = {
  'POST /request-email-change': {
    access: 'signed-in',
    status: 422,
    body: { newEmail: 'eve@mail.example', password: 'not-the-password' },
  },
  'POST /verify-email': { access: 'signed-in', status: 400, body: { token: 'unknown-token' } },
  'POST /confirm-email-change': { access: 'signed-in', status: 400, body: { token: 'unknown-token' } },
  // Better Auth has this as a GET.
  'POST /passkey/generate-register-options': {
    access: 'signed-in',
    status: 422,
    body: { password: 'not-the-password' },
  },
};

/** All endpoints of Better Auth under the shop's settings. */
function listEndpoints({ config, database }: TestShop): string[] {
  const secret = randomBytes(32).toString('base64');
  const log = pino({ enabled: false });
  const { api } = createAuth({ config, database, secret, log, google: undefined });
  return Object.values(api).flatMap(({ path, options }) =>
    path ? [options.method].flat().map((method) => `${method} ${path.replace(/:\w+/, 'google')}`) : [],
  );
}

function requestRow(
  shop: TestShop,
  name: string,
  { body }: Pick<Row, 'body'>,
  headers: Record<string, string>,
) {
  const [method = '', path = ''] = name.split(' ');
  return sendRequest(shop, method, `/api/auth${path}`, { body, headers });
}

test('the shop exposes only the endpoints of Better Auth that the table lists', async () => {
  await using shop = await startShop();
  await shop.listen();
  const headers = cookieHeaders(await shop.admin());
  const exposed: string[] = [];
  for (const name of listEndpoints(shop)) {
    const { status } = await requestRow(shop, name, name.startsWith('POST') ? { body: {} } : {}, headers);
    if (status !== 404 && status !== 405) exposed.push(name);
  }
  expect(exposed.sort()).toEqual(Object.keys(table).sort());
});

test('each endpoint admits its intended visitors, and an anonymous request changes nothing', async () => {
  await using shop = await startShop({
    rateLimits: {
      signInsPerAddressAndEmail: 1000,
      signInsPerAddress: 1000,
      signUpsPerAddress: 1000,
      linkRequestsPerAddressAndMailbox: 1000,
    },
  });
  await shop.listen();
  const { visitors } = await createVisitors(shop);
  for (const [name, row] of Object.entries({ ...table, ...ownTable })) {
    const before = await readState(shop);
    for (const { name: visitor, kind, person, headers } of visitors) {
      if (person && row.ends) continue;
      const response = await requestRow(shop, name, row, headers);
      const expected = row.access === 'signed-in' && kind === 'anonymous' ? 401 : row.status;
      expect([name, visitor, response.status]).toEqual([name, visitor, expected]);
      if (name === 'GET /get-session') expect((await response.json())?.user.email).toEqual(person?.email);
    }
    expect([name, await readState(shop)]).toEqual([name, before]);
  }
}, 60_000);
