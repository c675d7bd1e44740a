import fc, { type Arbitrary } from 'fast-check';
import { brokenBody, rawUrlPart, unexpectedJson } from './hostile.ts';
import type { Plan } from './plan.ts';

/**
 * Valid fields for Better Auth's endpoints, as JSON text. `document.ts` leaves these endpoints out: the OpenAPI document has
 * only those fields that clients of the shop need.
 */
const forms: Record<string, Record<string, string>> = {
  '/sign-up/email': {
    name: '"Ann"',
    email: '"{{stranger}}"',
    password: '"verge-and-foliot"',
    rememberMe: 'true',
  },
  '/sign-in/email': { email: '"{{stranger}}"', password: '"not-the-password"', callbackURL: '"/"' },
  '/sign-in/social': {
    provider: '"google"',
    callbackURL: '"/products"',
    errorCallbackURL: '"/login"',
    newUserCallbackURL: '"/"',
    disableRedirect: 'true',
    scopes: '["email"]',
    loginHint: '"a@example.com"',
    additionalData: '{}',
  },
  '/link-social': { provider: '"google"', callbackURL: '"/dashboard"', scopes: '["email"]' },
  '/change-password': { currentPassword: '"not-the-password"', newPassword: '"anchor-and-pallets"' },
  '/revoke-session': { token: '"unknown-token"' },
  '/two-factor/enable': { password: '"not-the-password"', issuer: '"Another"', method: '"otp"' },
  '/two-factor/disable': { password: '"not-the-password"' },
  '/two-factor/generate-backup-codes': { password: '"not-the-password"' },
  '/two-factor/verify-totp': { code: '"123456"', trustDevice: 'true' },
  '/passkey/generate-register-options': { password: '"not-the-password"', name: '"Another"' },
  '/passkey/verify-registration': {
    name: '"Phone"',
    response:
      '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVgA"}}',
    createSession: 'true',
  },
  '/passkey/verify-authentication': {
    response:
      '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AAAA","signature":"AAAA"}}',
  },
  '/passkey/generate-authenticate-options': {},
  '/passkey/delete-passkey': { id: '"unknown"' },
  '/two-factor/verify-backup-code': { code: '"abcde-fghjk"', trustDevice: 'true', disableSession: 'true' },
};
/** Endpoints that need a session. The others are sent anonymously, so that they do not change the sessions of other plans. */
const asCustomer = new Set([
  '/link-social',
  '/change-password',
  '/revoke-session',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
  '/passkey/generate-register-options',
  '/passkey/verify-registration',
  '/passkey/delete-passkey',
]);

const postRequests = fc.oneof(
  ...Object.entries(forms).map(([path, form]) =>
    fc.record({ path: fc.constant(path), body: generateForm(form) }),
  ),
);

/** Mostly valid fields, sometimes replaced or left out. */
function generateForm(form: Record<string, string>): Arbitrary<string> {
  const fields = Object.entries(form).map(([name, value]) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(`"${name}":${value}`) },
      { weight: 1, arbitrary: unexpectedJson.map((json) => `"${name}":${json}`) },
      { weight: 1, arbitrary: fc.constant('') },
    ),
  );
  const body = fc.tuple(...fields).map((all) => `{${all.filter(Boolean).join(',')}}`);
  return fc.oneof({ weight: 8, arbitrary: body }, { weight: 1, arbitrary: brokenBody });
}

const getRequests = fc.oneof(
  fc.constantFrom('/get-session', '/list-sessions', '/passkey/list-user-passkeys'),
  fc.tuple(rawUrlPart, rawUrlPart).map(([state, code]) => `/callback/google?state=${state}&code=${code}`),
  rawUrlPart.map((error) => `/callback/google?error=${error}&error_description=${error}`),
  rawUrlPart.map((query) => `/get-session?disableCookieCache=${query}`),
);

type Common = Pick<Plan, 'sender' | 'credential' | 'headers' | 'encoding'>;

/** Requests to Better Auth's calls. */
export function identityPlans(common: Arbitrary<Common>): Arbitrary<Plan> {
  return fc.oneof(
    fc.tuple(common, postRequests).map(
      ([plan, { path, body }]): Plan => ({
        ...plan,
        method: 'POST',
        path: `/api/auth${path}`,
        body,
        sender: asCustomer.has(path) ? 'customer' : 'anonymous',
        headers: { 'content-type': 'application/json', ...plan.headers },
      }),
    ),
    fc
      .tuple(common, getRequests)
      .map(([plan, path]): Plan => ({ ...plan, method: 'GET', path: `/api/auth${path}` })),
  );
}
