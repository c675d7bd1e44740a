import {
  APIError,
  type BetterAuthPlugin,
  betterAuth,
  type GenericEndpointContext,
  getCurrentAdapter,
} from 'better-auth';
import { getOAuthState, getSessionFromCtx } from 'better-auth/api';
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
  sessionSeconds,
  verifyPassword,
} from './credentials.ts';
import { readProfile } from './google.ts';
import { createPasskeyPlugin } from './passkeys/plugin.ts';
import { undoRowId } from './recovery/former-addresses.ts';
import { lockUser } from './session-endings.ts';
import { changeTwoFactor } from './two-factor/change.ts';
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
    // Using a session does not extend it, so a stolen one expires. routes.ts requires more than a young session where that matters.
    session: { expiresIn: sessionSeconds, disableSessionRefresh: true, freshAge: 0 },
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
            if (context && (await isReservedWith(context, user.email))) {
              // The same response as for a taken address. Google's callback reports the failure itself.
              if (context.path !== '/sign-up/email') return false;
              const code = 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL';
              const message = 'User already exists. Use another email.';
              throw new APIError('UNPROCESSABLE_ENTITY', { code, message });
            }
            // In the transaction of the sign-up. Google has already confirmed the addresses of its users.
            if (config.sendsMail && !user.emailVerified && context && !context.headers?.has(noMailHeader))
              await addMailWith(context, { kind: 'confirm address', recipient: user.email, about: '' });
            return { data: { ...user, name: toValidName(user.name) } };
          },
        },
        update: {
          async before({ twoFactorEnabled }, context) {
            if (typeof twoFactorEnabled !== 'boolean') return undefined;
            await changeTwoFactor({ config, database }, context?.context.session?.session, twoFactorEnabled);
            // Already written: a second update could undo a later change.
            return { data: { twoFactorEnabled: undefined } };
          },
        },
      },
      // The shop calls Google only during sign-in, so it stores no tokens.
      account: {
        create: {
          before: async (account, context) =>
            (await isLinkOutdated(context)) ? false : { data: { ...account, ...noTokens } },
          async after({ id, userId }, context) {
            if (!context || !(await readLink())) return;
            const isOutdated = await database.transaction(async (tx) => {
              await lockUser(database, tx, userId);
              const session = tx
                .selectFrom('session')
                .select('id')
                .where('id', '=', context.context.session?.session.id ?? '');
              if (await session.executeTakeFirst()) return false;
              await tx.deleteFrom('account').where('id', '=', id).execute();
              return true;
            });
            if (isOutdated) throw context.redirect('/login?error=unable_to_link_account');
          },
        },
        update: { before: async (account) => ({ data: { ...account, ...noTokens } }) },
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
      // The plugin intercepts only sign-ins with a password.
      twoFactor({
        issuer: config.shopDetails.name,
        backupCodeOptions: { customBackupCodesGenerate: generateRecoveryCodes },
      }),
      createPasskeyPlugin(config, addMailWith),
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

/** Present if the request links Google to an account. */
const readLink = async () => (await getOAuthState())?.link;

/** Whether the session that started to link Google has ended: an intruder could otherwise finish after a password reset. */
async function isLinkOutdated(context: GenericEndpointContext | null): Promise<boolean> {
  const link = await readLink();
  const session = link && context && (await getSessionFromCtx(context));
  return link !== undefined && session?.user.id !== link.userId;
}

async function addMailWith({ context }: GenericEndpointContext, mail: NewMail): Promise<void> {
  const adapter = await getCurrentAdapter(context.adapter);
  await adapter.create({ model: 'mail', data: toMailRow(mail), forceAllowId: true });
}

/** Whether another user has changed their address from this one and can still undo that. */
async function isReservedWith({ context }: GenericEndpointContext, email: string): Promise<boolean> {
  const adapter = await getCurrentAdapter(context.adapter);
  const where = [{ field: 'id', value: undoRowId(email) }];
  const row = await adapter.findOne<{ expiresAt: Date }>({ model: 'verification', where });
  return row !== null && row.expiresAt.getTime() > Date.now();
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
