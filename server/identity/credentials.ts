import { argon2, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { executePrepared } from '../database/prepared-statements.ts';
import type { Db } from '../database/schema.ts';
import { createFairQueue } from '../http/rate-limit.ts';
import { readBearer } from '../http/request.ts';
import type { SessionUser } from '../http/request-context.ts';

/** Parameters of Argon2id; `memory` in KiB. */
export type PasswordCost = { memory: number; passes: number; parallelism: number };

/**
 * Recommended by OWASP ASVS 5.0 (appendix C) and RFC 9106. An attack on these hashes costs more than on Better Auth's own scrypt
 * hashes.
 */
const defaultCost: PasswordCost = { memory: 12_288, passes: 3, parallelism: 1 };

/** The default size of libuv's pool, which also compresses responses and reads files. */
const poolThreads = 4;
/** Leaves one thread and, if there are several, one processor for other work. */
const maxConcurrentHashes = Math.max(1, Math.min(availableParallelism(), poolThreads) - 1);
const maxWaitingHashes = 200;
const takeTurn = createFairQueue(maxConcurrentHashes, maxWaitingHashes);
/** Hashes in the order of the calls. `createPasswordQueue` lets each network address have at most two hashes in this queue. */
const hashInTurn = <Result>(hash: () => Promise<Result>) => takeTurn('', hash);

const deriveOnThread = promisify(argon2);
const derive = (...args: Parameters<typeof deriveOnThread>) => hashInTurn(() => deriveOnThread(...args));

/** The hash of a user's password; null or undefined if they only sign in with Google. */
export async function findPasswordHash(db: Db, userId: string): Promise<string | null | undefined> {
  const account = await db
    .selectFrom('account')
    .select('password')
    .where('userId', '=', userId)
    .where('providerId', '=', 'credential')
    .executeTakeFirst();
  return account?.password;
}

/** Longer passwords are rejected anyway, because Better Auth accepts at most 128 characters. */
const maxNormalizedLength = 1000;

/**
 * Systems encode the same password differently, for example `é` as one character or as two (NIST SP 800-63B-4, 3.1.1.2). A
 * password that is far too long is not normalized, since putting thousands of combining marks in order takes seconds.
 */
export const normalizePassword = (password: string): string =>
  password.length > maxNormalizedLength ? password : password.normalize('NFKC');

/**
 * Hashes a normalized password to a PHC string: `$argon2id-nfkc$v=19$m=…,t=…,p=…$salt$hash`. An older hash starts with
 * `$argon2id$` and is a hash of the password as it was typed.
 */
export async function hashPassword(password: string, cost = defaultCost): Promise<string> {
  const nonce = randomBytes(16);
  const message = normalizePassword(password);
  const hash = await derive('argon2id', { ...cost, message, nonce, tagLength: 32 });
  const { memory: m, passes: t, parallelism: p } = cost;
  return `$argon2id-nfkc$v=19$m=${m},t=${t},p=${p}$${toUnpaddedBase64(nonce)}$${toUnpaddedBase64(hash)}`;
}

const toUnpaddedBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Whether the password matches a hash, using the cost stored in the hash. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }) {
  const [, nfkc, m, t, p, salt = '', tag = ''] =
    /^\$argon2id(-nfkc)?\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash) ?? [];
  if (m === undefined) {
    // An older account, hashed by Better Auth with scrypt.
    const scrypt = await import('better-auth/crypto');
    return hashInTurn(() => scrypt.verifyPassword({ hash, password }));
  }
  const expected = Buffer.from(tag, 'base64');
  const matches = async (message: string) => {
    const actual = await derive('argon2id', {
      memory: Number(m),
      passes: Number(t),
      parallelism: Number(p),
      tagLength: expected.length,
      message,
      nonce: Buffer.from(salt, 'base64'),
    });
    return timingSafeEqual(actual, expected);
  };
  const normalized = normalizePassword(password);
  if (await matches(nfkc ? normalized : password)) return true;
  // An older hash may be of either form of the password, so both are tried. Newer hashes are tried only once, so the duration of a
  // sign-in reveals nothing about newer accounts.
  return !nfkc && normalized !== password && matches(normalized);
}

/** Tells Better Auth the client's network address, as determined by the shop. */
export const addressHeader = 'x-shop-address';

/** The cookie with the challenge that a passkey signs. */
export const passkeyCookie = 'passkey';

/** Tells Better Auth's hooks not to send a message to a new user: its network address has requested too many messages. */
export const noMailHeader = 'x-shop-no-mail';

export const isSecure = (config: Config): boolean => config.origins[0].startsWith('https:');

/** Over https, the `__Host-` prefix ties the cookies to this host and path (RFC 6265bis). */
export const cookiePrefix = (config: Config): string => `${isSecure(config) ? '__Host-' : ''}shop`;

export const sessionCookie = (config: Config): string => `${cookiePrefix(config)}.session_token`;

/** The lifetime of a session. */
export const sessionSeconds = 30 * 24 * 60 * 60;

/** A session's token with Better Auth's signature, as cookies and the bearer token carry it. */
export function signToken(token: string, secret: string): string {
  // HMAC-SHA256 in Base64, as better-call signs cookies.
  return `${token}.${createHmac('sha256', secret).update(token).digest('base64')}`;
}

/** Verifies a signed token. Returns the token without its signature, or undefined if the signature is wrong. */
export function verifyToken(signed: string, secret: string): string | undefined {
  const token = signed.slice(0, Math.max(signed.lastIndexOf('.'), 0));
  const actual = Buffer.from(signed);
  const expected = Buffer.from(signToken(token, secret));
  // In constant time: the duration must not reveal how much of a guess was right.
  return token && actual.length === expected.length && timingSafeEqual(actual, expected) ? token : undefined;
}

/**
 * Finds the signed-in user with one indexed query. If a request has an `Authorization` header, only that header
 * counts; without one, the cookie does. Each call reads the database, so a promotion or a sign-out takes effect on the next call.
 */
export function createViewerFinder(options: { database: Database; secret: string; config: Config }) {
  const { db } = options.database;
  const { secret, config } = options;
  const cookie = sessionCookie(config);
  // Compiled only once, since compiling takes three times as long as running the query.
  const query = db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id as session', 'session.expiresAt', 'session.secondFactor'])
    .select(['user.id', 'user.email', 'user.name', 'user.role', 'user.twoFactorEnabled'])
    .select('user.emailVerified')
    .select(['user.address', 'user.phone', 'user.education', 'user.linkedIn'])
    .where('session.token', '=', '')
    .compile();

  return async function findViewer(headers: Headers): Promise<SessionUser | undefined> {
    const authorization = headers.get('authorization');
    const signed = decodeCookie(
      authorization === null ? readCookie(headers, cookie) : readBearer(authorization),
    );
    const token = signed && verifyToken(signed, secret);
    if (!token) return undefined;
    const withToken: typeof query = { ...query, parameters: [token] };
    const [row] = (await executePrepared(db, withToken)).rows;
    if (!row || new Date(row.expiresAt).getTime() <= Date.now()) return undefined;
    const { expiresAt, role, twoFactorEnabled, secondFactor, ...person } = row;
    const factors = { twoFactorOn: Boolean(twoFactorEnabled), passedSecondFactor: Boolean(secondFactor) };
    return { ...person, ...factors, ...readRole(role, factors), token };
  };

  /** The only reader of the session's role, so no call and no page can forget the second factor. */
  function readRole(
    role: string | null,
    { twoFactorOn, passedSecondFactor }: Pick<SessionUser, 'twoFactorOn' | 'passedSecondFactor'>,
  ): Pick<SessionUser, 'role' | 'adminStep'> {
    if (role !== 'admin') return { role: undefined, adminStep: undefined };
    if (!config.requireAdminTwoFactor || (twoFactorOn && passedSecondFactor))
      return { role, adminStep: undefined };
    return { role: undefined, adminStep: twoFactorOn ? 'code' : 'setup' };
  }
}

/**
 * A cookie's raw value; the first value if several cookies have the name. Skips only the separator of RFC 6265, 5.4. If it skipped
 * other white space, another site could set our `__Host-` cookie.
 */
export function readCookie(headers: Headers, name: string): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const pair = part.replace(/^ +/, '');
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  }
  return undefined;
}

/** The client's cookies that Better Auth gets. */
const passedCookies = [
  // Ties a sign-in with Google to the browser that started it.
  'state',
  // The session ends when the browser is closed.
  'dont_remember',
  // A sign-in that waits for its second step.
  'two_factor',
  // A trusted device skips the second step.
  'trust_device',
  // The challenge that a passkey signs.
  passkeyCookie,
];

/**
 * Builds the `Cookie` header that Better Auth gets. Better Auth parses credentials differently than the shop does, so it never sees
 * the client's own header. The session in this header is exactly the one that the shop has found.
 */
export function buildLibraryCookies(
  headers: Headers,
  viewer: SessionUser | undefined,
  { config, secret }: { config: Config; secret: string },
): string {
  const cookies: [name: string, value: string | undefined][] = [];
  if (viewer) cookies.push([sessionCookie(config), encodeURIComponent(signToken(viewer.token, secret))]);
  // A request with an `Authorization` header is authenticated by this header alone.
  if (!headers.has('authorization'))
    for (const name of passedCookies.map((name) => `${cookiePrefix(config)}.${name}`))
      cookies.push([name, readCookie(headers, name)]);
  return cookies.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('; ');
}

export function decodeCookie(value: string | undefined): string | undefined {
  if (!value?.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
