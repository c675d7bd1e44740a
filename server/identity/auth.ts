import { betterAuth } from 'better-auth';
import { twoFactor } from 'better-auth/plugins';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import { loginPage } from '../../contract/page-addresses.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { addressPlugin } from './auth/address-plugin.ts';
import { completeLink, createGooglePlugin, isLinkOutdated } from './auth/google-plugin.ts';
import { prepareNewUser } from './auth/new-users.ts';
import { outboxPlugin } from './auth/outbox-plugin.ts';
import {
  addressHeader,
  cookiePrefix,
  hashPassword,
  isSecure,
  type PasswordCost,
  sessionSeconds,
  verifyPassword,
} from './credentials.ts';
import type { Google } from './google.ts';
import { createPasskeyPlugin } from './passkeys/plugin.ts';
import { endOldestSessions } from './session-endings.ts';
import { changeTwoFactor } from './two-factor/change.ts';
import { generateRecoveryCodes } from './two-factor/two-factor.ts';

export type Auth = ReturnType<typeof createAuth>;
export type AuthOptions = {
  config: Config;
  database: Database;
  secret: string;
  log: Logger;
  google: Google | undefined;
  /** The hashing cost of new passwords. Tests pass a low one. */
  passwordCost?: PasswordCost | undefined;
};

/** A column that no caller of Better Auth may set. */
const column = { type: 'string', required: false, input: false } as const;
const noTokens = { accessToken: null, refreshToken: null, idToken: null };

/** Better Auth on the shop's own Kysely instance. Without `google`, it does not offer sign-in with Google. */
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
    // Using a session does not extend it, so a stolen one expires. `freshAge: 0` turns off Better Auth's check for recent
    // sessions: routes.ts has stricter checks where they matter.
    session: { expiresIn: sessionSeconds, disableSessionRefresh: true, freshAge: 0 },
    user: {
      additionalFields: { role: column, address: column, phone: column, education: column, linkedIn: column },
    },
    // Someone else may have signed up here with the address of this Google account. So the two are never linked automatically: only
    // the signed-in owner links them, from the profile.
    account: { accountLinking: { enabled: true, disableImplicitLinking: true, allowDifferentEmails: true } },
    advanced: {
      database: { generateId: () => uuidv7() },
      cookiePrefix: cookiePrefix(config),
      useSecureCookies: false,
      defaultCookieAttributes: { secure },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // app.ts has checked Origin and Sec-Fetch-Site by stricter rules.
      disableCSRFCheck: true,
      // Checks callback URLs. Set explicitly because Better Auth disables the check in a test environment.
      disableOriginCheck: false,
    },
    databaseHooks: {
      user: {
        create: {
          before: (user, context) => prepareNewUser(config, user, context),
        },
        update: {
          async before({ twoFactorEnabled }, context) {
            if (typeof twoFactorEnabled !== 'boolean') return undefined;
            await changeTwoFactor({ config, database }, context?.context.session?.session, twoFactorEnabled);
            // The column has been written already. A second update could undo a later change.
            return { data: { twoFactorEnabled: undefined } };
          },
        },
      },
      session: { create: { after: ({ userId }) => endOldestSessions(database, userId) } },
      // The shop calls Google only during sign-in, so it stores no tokens.
      account: {
        create: {
          before: async (account, context) =>
            (await isLinkOutdated(context)) ? false : { data: { ...account, ...noTokens } },
          after: (account, context) => completeLink(database, account, context),
        },
        update: { before: async (account) => ({ data: { ...account, ...noTokens } }) },
      },
    },
    // Better Auth's limits count successes and are not per user: see routes.ts.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // The app logs and reports unexpected errors, such as an unavailable database.
    onAPIError: { throw: true, errorURL: loginPage },
    logger: {
      level: 'warn',
      // Messages may quote visitor input: log only an error's code.
      log: (level, _message, ...more: unknown[]) => {
        const code = findErrorCode(more);
        if (code) log[level === 'error' ? 'warn' : 'info']({ identity: code });
      },
    },
    plugins: [
      // The plugin intercepts only sign-ins with a password.
      twoFactor({
        issuer: config.shopDetails.name,
        backupCodeOptions: { customBackupCodesGenerate: generateRecoveryCodes },
      }),
      createPasskeyPlugin(config),
      outboxPlugin,
      addressPlugin,
      createGooglePlugin(google),
    ],
  });
}

/** The code of the first error among `values`, or its name if it has no code. Both are constants of a library. */
function findErrorCode(values: unknown[]): string | undefined {
  const error = values.find((value) => value instanceof Error);
  const code = error && 'code' in error ? error.code : error?.name;
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : undefined;
}
