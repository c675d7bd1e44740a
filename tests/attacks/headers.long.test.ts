import { expect, test } from 'vitest';
import { type IdentityCallName, identityCalls } from '../../contract/identity/identity.ts';
import { issueToken } from '../../server/identity/recovery/tokens.ts';
import { callNames } from '../support/call-requests.ts';
import { allOffers, prepareCalls } from '../support/call-samples.ts';
import { waitForLetter } from '../support/letters.ts';
import { addPasskey, createDevice, startPasskey } from '../support/passkeys.ts';
import type { TestUser } from '../support/requests.ts';
import { cookieHeaders, type SendOptions, sendCall, sendRequest, tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { computeCode, turnOnTwoFactor } from '../support/two-factor.ts';

const compressible = { 'accept-encoding': 'gzip, br' };

/** Describes what is wrong with the headers of a response. */
function findFaults({ headers }: Response): string[] {
  const caching = headers.get('cache-control') ?? '';
  const vary = (headers.get('vary') ?? '').toLowerCase().split(/,\s*/);
  const required = [
    ...(caching.includes('no-store') ? [] : ['cookie', 'authorization']),
    ...(headers.has('content-encoding') ? ['accept-encoding'] : []),
  ];
  return [
    ...(/^(no-store|(private|public), no-cache)$/.test(caching) ? [] : [`cache-control: ${caching}`]),
    ...required.filter((name) => !vary.includes(name)).map((name) => `vary lacks ${name}`),
    ...[...headers.keys()].filter((name) => /^(set-auth-token|access-control-)/.test(name)),
  ];
}

/** Variants of a request: unchanged, signed in, from another site, with a malformed body. */
function* varyRequest(request: SendOptions, person: TestUser): Generator<SendOptions> {
  const headers = { ...compressible, ...request.headers };
  yield { ...request, headers };
  for (const credentials of [cookieHeaders(person), tokenHeaders(person)]) {
    yield { ...request, headers: { ...headers, ...credentials } };
    yield { ...request, headers: { ...headers, ...credentials, origin: 'https://evil.example' } };
    if (request.body !== undefined) yield { ...request, body: '{', headers: { ...headers, ...credentials } };
  }
}

test('every response of the API declares its caching, and none allows other sites to read it', async () => {
  await using shop = await startShop({ settings: allOffers });
  const admin = await shop.admin();
  const prepared = await prepareCalls(shop);
  const statuses = new Set<number>();
  for (const name of callNames) {
    for (const request of varyRequest(await prepared.calls[name](admin), admin)) {
      const response = await sendCall(shop, name, request);
      statuses.add(response.status);
      expect([name, request.headers, response.status, findFaults(response)]).toEqual([
        name,
        request.headers,
        response.status,
        [],
      ]);
    }
  }
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 403]));
  const missing = await sendRequest(shop, 'GET', '/api/nowhere', { headers: compressible });
  expect([missing.status, findFaults(missing)]).toEqual([404, []]);
  const document = await sendRequest(shop, 'GET', '/api/openapi.json', { headers: compressible });
  expect(document.headers.get('content-encoding')).toBe('br');
  expect(document.headers.get('vary')).toMatch(/accept-encoding/i);
});

async function createIdentityBody(
  { database }: TestShop,
  name: IdentityCallName,
  person: TestUser,
): Promise<object | undefined> {
  const { email, password } = person;
  const { id } = await database.db
    .selectFrom('user')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  const newEmail = `changed-${email}`;
  const bodies: Partial<Record<IdentityCallName, object>> = {
    signUp: { name: 'Ann', email: `new-${email}`, password },
    signIn: { email, password },
    changePassword: { currentPassword: password, newPassword: 'verge-and-foliot' },
    requestPasswordReset: { email },
    resetPassword: {
      token: await issueToken(database, 'reset password', email),
      newPassword: 'verge-and-foliot',
    },
    confirmAddress: { token: await issueToken(database, 'confirm address', email) },
    requestEmailChange: { newEmail, password },
    confirmEmailChange: { token: await issueToken(database, 'change address', newEmail, { key: id }) },
    signInWithGoogle: { provider: 'google', callbackURL: '/' },
    linkGoogle: { provider: 'google', callbackURL: '/' },
    enableTwoFactor: { password },
    disableTwoFactor: { password },
    renewRecoveryCodes: { password },
    startAddingPasskey: { password },
    revokeSession: { token: 'unknown-token' },
  };
  return identityCalls[name].method === 'POST' ? (bodies[name] ?? {}) : undefined;
}

/** Some calls work only while two-factor sign-in is on. */
async function prepareVisitor(
  shop: TestShop,
  name: IdentityCallName,
): Promise<{ person: TestUser; code?: string | undefined; body?: object }> {
  const person = await shop.signUp();
  // The sign-up's message has a link that ends earlier links. Wait for that message before the test creates its own link.
  if (name === 'confirmAddress') await waitForLetter(shop, person.email, /^Confirm/);
  if (name === 'addPasskey' || name === 'signInWithPasskey' || name === 'removePasskey')
    return preparePasskey(shop, name, person);
  if (!/^(disableTwoFactor|renewRecoveryCodes|verify)/.test(name)) return { person };
  const enrolled = await turnOnTwoFactor(shop, person, 0);
  if (name === 'verifyCode') return { person: enrolled, code: computeCode(enrolled.secret, 1) };
  return { person: enrolled, ...(name === 'verifyRecoveryCode' ? { code: enrolled.recoveryCodes[0] } : {}) };
}

/** Adding a passkey and signing in with one also need a challenge and its cookie. */
async function preparePasskey(
  shop: TestShop,
  name: 'addPasskey' | 'signInWithPasskey' | 'removePasskey',
  person: TestUser,
): Promise<{ person: TestUser; body: object }> {
  const device = createDevice();
  if (name === 'addPasskey') {
    const { challenge, headers } = await startPasskey(shop, 'register', person);
    const response = device.create(challenge, shop.origin);
    return { person: { ...person, ...headers }, body: { name: 'Phone', response } };
  }
  const { id }: { id: string } = await (await addPasskey(shop, person, device)).json();
  if (name === 'removePasskey') return { person, body: { id, password: person.password } };
  const { challenge, headers } = await startPasskey(shop, 'authenticate', person);
  return { person: { ...person, ...headers }, body: { response: device.get(challenge, shop.origin) } };
}

async function collectIdentityResponses(shop: TestShop): Promise<[string, number, string[]][]> {
  const results: [string, number, string[]][] = [];
  for (const name of Object.keys(identityCalls).filter(isIdentityCall)) {
    const { method, path } = identityCalls[name];
    const { person, code, body: prepared } = await prepareVisitor(shop, name);
    const body = prepared ?? (code ? { code } : await createIdentityBody(shop, name, person));
    for (const request of varyRequest({ body }, person)) {
      const response = await sendRequest(shop, method, `/api${path}`, request);
      results.push([name, response.status, findFaults(response)]);
    }
  }
  return results;
}

const isIdentityCall = (name: string): name is IdentityCallName => Object.hasOwn(identityCalls, name);

test('no response of an identity call may be cached, and none exposes a token to scripts', async () => {
  await using shop = await startShop({ rateLimits: { signUpsPerAddress: 1000 } });
  await shop.listen();
  const results = await collectIdentityResponses(shop);
  expect(results.filter(([, , faults]) => faults.length > 0)).toEqual([]);
  const succeeded = new Set(results.filter(([, status]) => status === 200).map(([name]) => name));
  expect([...succeeded].sort()).toEqual(Object.keys(identityCalls).sort());
  for (const path of ['/callback/google', '/callback/google?code=a&state=b', '/nowhere', '/sign-out']) {
    const response = await sendRequest(shop, 'GET', `/api/auth${path}`);
    expect([path, findFaults(response)]).toEqual([path, []]);
  }
});
