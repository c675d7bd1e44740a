import { betterAuth } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { genericOAuth } from 'better-auth/plugins';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { email, text } from '../../contract/fields.ts';
import type { Config } from '../config/config.ts';
import type { Services } from '../config/services.ts';
import type { Database } from '../database/database.ts';
import { isCommonPassword } from './common-passwords.ts';
import { readProfile } from './google-profile.ts';
import { addressHeader, cookiePrefix, isSecure } from './names.ts';
import { hashPassword, type PasswordCost, verifyPassword } from './passwords.ts';

export type Auth = ReturnType<typeof createAuth>;
export type AuthOptions = {
  config: Config;
  database: Database;
  secret: string;
  log: Logger;
  google: Services['google'];
  /** Of new passwords. Tests pass a low one. */
  passwordCost?: PasswordCost | undefined;
};

const password = (label: string) => z.string(`${label} is Required`).min(1, `${label} is Required`);
const forms: Record<string, Record<string, z.ZodType>> = {
  '/sign-up/email': { name: text('Name', 100), email, password: password('Password') },
  '/sign-in/email': { email, password: password('Password') },
  '/change-password': {
    currentPassword: password('Current password'),
    newPassword: password('New password'),
  },
};
const noTokens = { accessToken: null, refreshToken: null, idToken: null };
const day = 24 * 60 * 60;

/**
 * Better Auth on the shop's own Kysely instance. `google` is given once its discovery document is known to
 * answer: Better Auth asks for it a single time and would go on without Google for good.
 */
export function createAuth({ config, database, secret, log, google, passwordCost }: AuthOptions) {
  const secure = isSecure(config);
  return betterAuth({
    secret,
    baseURL:
      config.origins.length === 1
        ? config.origins[0]
        : { allowedHosts: config.origins.map((origin) => new URL(origin).host), protocol: 'http' },
    trustedOrigins: config.origins,
    database: { db: database.db, type: database.engine, transaction: true },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 6,
      maxPasswordLength: 128,
      password: { hash: (password) => hashPassword(password, passwordCost), verify: verifyPassword },
    },
    // Nobody stays signed in for longer, however often they come: a session that was stolen ends by itself.
    session: { expiresIn: 30 * day, disableSessionRefresh: true },
    user: {
      additionalFields: {
        role: { type: 'string', required: false, input: false },
        address: { type: 'string', required: false, input: false },
        phone: { type: 'string', required: false, input: false },
        education: { type: 'string', required: false, input: false },
        linkedIn: { type: 'string', required: false, input: false },
      },
    },
    // Somebody who controls an address at Google may not be who signed up with it here: joining the two
    // is done by the signed-in owner, from the profile.
    account: { accountLinking: { enabled: true, disableImplicitLinking: true, allowDifferentEmails: true } },
    advanced: {
      database: { generateId: () => uuidv7() },
      cookiePrefix: cookiePrefix(config),
      useSecureCookies: false,
      defaultCookieAttributes: { secure },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // app.ts has judged Origin and Sec-Fetch-Site for every call alike, by stricter rules.
      disableCSRFCheck: true,
      // Where a sign-in leads to is checked, in tests too (their environment would switch that off).
      disableOriginCheck: false,
    },
    hooks: { before: createAuthMiddleware(async (ctx) => judgeForm(ctx.path, ctx.body)) },
    databaseHooks: {
      user: {
        create: { before: async (user) => ({ data: { ...user, name: printable(user.name) } }) },
      },
      // Google is asked once, at sign-in: what could ask it again is not kept.
      account: {
        create: { before: async (account) => ({ data: { ...account, ...noTokens } }) },
        update: { before: async (account) => ({ data: { ...account, ...noTokens } }) },
      },
    },
    // Its own limits count successes and know no person: the shop has limits of its own (tries.ts).
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // What it did not foresee, such as a database that is away, is answered and logged as everywhere else.
    onAPIError: { throw: true, errorURL: '/login' },
    logger: {
      level: 'warn',
      // Its messages may quote visitor input: log only an error's code.
      log: (level, _message, ...more: unknown[]) => {
        const code = readErrorCode(more);
        if (code) log[level === 'error' ? 'warn' : 'info']({ identity: code });
      },
    },
    plugins: [
      genericOAuth({
        config: google
          ? [
              {
                providerId: 'google',
                ...google,
                requireIdTokenVerification: true,
                scopes: ['openid', 'email', 'profile'],
                pkce: true,
                prompt: 'select_account',
                getUserInfo: async ({ idToken }) => readProfile(idToken, google.clientId),
              },
            ]
          : [],
      }),
    ],
  });
}

/** What Better Auth lets pass and the shop does not: overlong names, odd addresses, the commonest passwords. */
async function judgeForm(path: string, body: unknown): Promise<{ context: { body: unknown } } | undefined> {
  const fields = Object.hasOwn(forms, path) ? forms[path] : undefined;
  if (!fields) return undefined;
  const form: Record<string, unknown> = { ...z.looseObject({}).catch({}).parse(body) };
  for (const [field, schema] of Object.entries(fields)) {
    const message = schema.safeParse(form[field]).error?.issues[0]?.message;
    if (message) throw new APIError('BAD_REQUEST', { code: `INVALID_${field.toUpperCase()}`, message });
  }
  if (path === '/sign-up/email') await refuseCommon(form.password, [form.email, form.name]);
  if (path !== '/change-password') return undefined;
  await refuseCommon(form.newPassword, []);
  return { context: { body: { ...form, revokeOtherSessions: true } } };
}

async function refuseCommon(password: unknown, about: unknown[]): Promise<void> {
  const known = about.filter((text) => typeof text === 'string');
  if (typeof password === 'string' && (await isCommonPassword(password, known))) {
    throw new APIError('BAD_REQUEST', {
      code: 'PASSWORD_TOO_COMMON',
      message: 'This password is one of the first to be guessed: choose another one',
    });
  }
}

/** The code or, without one, the name of the first error among these. Both are constants of a library. */
function readErrorCode(values: unknown[]): string | undefined {
  const error = values.find((value) => value instanceof Error);
  const code = error && 'code' in error ? error.code : error?.name;
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : undefined;
}

/** A name from another provider, brought within our bounds. */
function printable(name: string): string {
  return (
    name
      .replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, 100) || 'Customer'
  );
}
