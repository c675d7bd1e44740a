import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { cookieHeaders, readSetCookies, sendAuthRequest, type TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

export const periodMs = 30_000;

/** The code that an authenticator app shows (RFC 6238) for a secret in Base32, `periods` from now. */
export function computeCode(secret: string, periods = 0): string {
  const bits = [...secret]
    .map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / periodMs) + periods));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return `${(hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000}`.padStart(6, '0');
}

type Enrolled = TestUser & { secret: string; recoveryCodes: string[] };

/** Takes the first step of turning two-factor sign-in on. */
export async function startTwoFactor(shop: TestShop, person: TestUser) {
  const { password } = person;
  const started = await sendAuthRequest(shop, '/two-factor/enable', { password }, cookieHeaders(person));
  expect(started.status).toBe(200);
  const { totpURI, backupCodes }: { totpURI: string; backupCodes: string[] } = await started.json();
  const secret = new URL(totpURI).searchParams.get('secret') ?? expect.unreachable(totpURI);
  const enterFirst = (code: string): Promise<Response> => enterCode(shop, code, person.cookie);
  return { secret, recoveryCodes: backupCodes, enterFirst };
}

/**
 * Turns two-factor sign-in on. A code works once, so by default it uses the previous period's code, and the test can still use the
 * current one. If the test's clock is running, the previous code may expire before it arrives: pass 0.
 */
export async function turnOnTwoFactor(shop: TestShop, person: TestUser, periods = -1): Promise<Enrolled> {
  const { secret, recoveryCodes, enterFirst } = await startTwoFactor(shop, person);
  const confirmed = await enterFirst(computeCode(secret, periods));
  expect(confirmed.status).toBe(200);
  const cookie = readSetCookies(confirmed);
  return { ...person, ...(await withToken(shop, { ...person, cookie })), secret, recoveryCodes };
}

/** Enters the password. Returns the response and the cookies that a browser holds afterwards. */
export async function enterPassword(shop: TestShop, { email, password }: TestUser, cookie = '') {
  const headers = cookie ? { cookie } : {};
  const response = await sendAuthRequest(shop, '/sign-in/email', { email, password }, headers);
  return { response, cookie: readSetCookies(response) };
}

/** Enters a code, or a recovery code, with a browser's cookies. */
export const enterCode = (
  shop: TestShop,
  code: string,
  cookie: string,
  more: { trustDevice?: boolean } = {},
): Promise<Response> =>
  sendAuthRequest(
    shop,
    code.includes('-') ? '/two-factor/verify-backup-code' : '/two-factor/verify-totp',
    { code, ...more },
    { cookie },
  );

/** The user with the bearer token of their cookie's session. */
export async function withToken(shop: TestShop, person: TestUser): Promise<TestUser> {
  const response = await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(person));
  expect((await response.json())?.user.email).toBe(person.email);
  const signed = /session_token=([^;]+)/.exec(person.cookie)?.[1] ?? expect.unreachable(person.cookie);
  return { ...person, token: decodeURIComponent(signed) };
}
