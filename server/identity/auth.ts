import {
  type BetterAuthPlugin,
  betterAuth,
  type GenericEndpointContext,
  getCurrentAdapter,
} from 'better-auth';
import { genericOAuth, twoFactor } from 'better-auth/plugins';
import type { Logger } from 'pino';
import { uuidv7 } from 'uuidv7';
import type { Config } from '../config/config.ts';
import type { Services } from '../config/services.ts';
import type { Database } from '../database/database.ts';
import { type NewMail, toMailRow } from '../mail/outbox.ts';
import {
  addressHeader,
  cookiePrefix,
  hashPassword,
  isSecure,
  noMailHeader,
  type PasswordCost,
  verifyPassword,
} from './credentials.ts';
import { readProfile } from './google.ts';
import { generateRecoveryCodes } from './two-factor/two-factor.ts';

export type Auth = ReturnType<typeof createAuth>;
export type AuthOptions = {
  config: Config;
  database: Database;
  secret: string;
  log: Logger;
  google: Services['google'];
  /** The hashing cost of new passwords. Tests pass a low one. */
  passwordCost?: PasswordCost | undefined;
};

/** A column that no caller of Better Auth may set. */
const column = { type: 'string', required: false, input: false } as const;
const noTokens = { accessToken: null, refreshToken: null, idToken: null };
const daySeconds = 24 * 60 * 60;

/**
 * Better Auth on the shop's own Kysely instance. Pass `google` only after its discovery document has been fetched:
 * Better Auth requests the document once and, if that fails, runs without Google until the process ends.
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
    // Using a session does not extend it, so a stolen one expires.
    session: { expiresIn: 30 * daySeconds, disableSessionRefresh: true },
    user: {
      additionalFields: { role: column, address: column, phone: column, education: column, linkedIn: column },
    },
    // The person with this address at Google may not be the one who signed up with it here: only the signed-in owner
    // links the two, from the profile.
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
          async before(user, context) {
            // In the transaction of the sign-up. Google has already confirmed the addresses of its users.
            if (config.sendsMail && !user.emailVerified && context && !context.headers?.has(noMailHeader))
              await addMailWith(context, { kind: 'confirm address', recipient: user.email, about: '' });
            return { data: { ...user, name: toValidName(user.name) } };
          },
        },
      },
      // The shop calls Google only during sign-in, so it stores no tokens.
      account: {
        create: { before: async (account) => ({ data: { ...account, ...noTokens } }) },
        update: {
          async before(account, context) {
            const email = context?.context.session?.user.email;
            // Better Auth changes a password without a transaction: a report of a change that then fails is better than a missing one.
            if (config.sendsMail && context && email && account.password)
              await addMailWith(context, { kind: 'password changed', recipient: email, about: '' });
            return { data: { ...account, ...noTokens } };
          },
        },
      },
    },
    // Better Auth's limits count successes and are not per user: see routes.ts.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // The app logs and reports unexpected errors, such as an unavailable database.
    onAPIError: { throw: true, errorURL: '/login' },
    logger: {
      level: 'warn',
      // Messages may quote visitor input: log only an error's code.
      log: (level, _message, ...more: unknown[]) => {
        const code = findErrorCode(more);
        if (code) log[level === 'error' ? 'warn' : 'info']({ identity: code });
      },
    },
    plugins: [
      // It intercepts sign-ins with a password only.
      twoFactor({
        issuer: config.shopDetails.name,
        backupCodeOptions: { customBackupCodesGenerate: generateRecoveryCodes },
      }),
      outbox,
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

/** The table of messages to send, so that Better Auth can write to it in its own transactions. */
const outbox = {
  id: 'outbox',
  schema: {
    mail: {
      fields: {
        kind: { type: 'string' },
        recipient: { type: 'string' },
        about: { type: 'string' },
        state: { type: 'string' },
        due_at: { type: 'number', bigint: true },
        give_up_at: { type: 'number', bigint: true },
        created_at: { type: 'number', bigint: true },
      },
    },
  },
} satisfies BetterAuthPlugin;

async function addMailWith({ context }: GenericEndpointContext, mail: NewMail): Promise<void> {
  const adapter = await getCurrentAdapter(context.adapter);
  await adapter.create({ model: 'mail', data: toMailRow(mail), forceAllowId: true });
}

/** The code of the first error among `values`, or its name if it has no code. Both are constants of a library. */
function findErrorCode(values: unknown[]): string | undefined {
  const error = values.find((value) => value instanceof Error);
  const code = error && 'code' in error ? error.code : error?.name;
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : undefined;
}

/** Makes a name from Google valid: at most 100 characters, without control characters. */
function toValidName(name: string): string {
  const printable = name.replace(/\p{Cc}/gu, ' ').trim();
  return printable.slice(0, 100) || 'Customer';
}
