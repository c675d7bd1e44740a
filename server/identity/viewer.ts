import type { Database } from '../database/database.ts';
import { readBearer } from '../http/request.ts';
import type { SessionUser } from '../http/request-context.ts';
import { verifyToken } from './token.ts';

/**
 * Finds the signed-in user with one indexed query. A request with an `Authorization` header is authenticated by that
 * header alone; the cookie counts only if the header is absent. Nothing is cached, so promotion and sign-out take effect
 * on the next call.
 */
export function createViewerFinder(options: { database: Database; secret: string; cookie: string }) {
  const { database, secret, cookie } = options;

  return async function findViewer(headers: Headers): Promise<SessionUser | undefined> {
    const signed = readCredential(headers, cookie);
    const token = signed && verifyToken(signed, secret);
    if (!token) return undefined;
    const row = await database.db
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .select([
        'session.id as session',
        'session.expiresAt',
        'user.id',
        'user.email',
        'user.name',
        'user.role',
      ])
      .select(['user.address', 'user.phone', 'user.education', 'user.linkedIn'])
      .where('session.token', '=', token)
      .executeTakeFirst();
    if (!row || new Date(row.expiresAt).getTime() <= Date.now()) return undefined;
    const { expiresAt, role, ...person } = row;
    return { ...person, role: role === 'admin' ? role : undefined, token };
  };
}

/** An entry's `email` field, which only its author and admins may see. */
export function privateEmail(
  { email }: { email: string },
  viewer: SessionUser | undefined,
): { email?: string } {
  return viewer?.role === 'admin' || viewer?.email === email ? { email } : {};
}

/** How a user signs in: `password`, `google` or both. */
export async function listSignInMethods({ db }: Database, userId: string): Promise<string[]> {
  const accounts = await db
    .selectFrom('account')
    .select('providerId')
    .where('userId', '=', userId)
    .orderBy('id')
    .execute();
  return accounts.map(({ providerId }) => nameSignInMethod(providerId));
}

/** Better Auth names passwords `credential`. */
export const nameSignInMethod = (providerId: string): string =>
  providerId === 'credential' ? 'password' : providerId;

function readCredential(headers: Headers, cookie: string): string | undefined {
  const authorization = headers.get('authorization');
  if (authorization !== null) return decode(readBearer(authorization));
  return decode(readCookie(headers, cookie));
}

/**
 * A cookie's raw value; the first if several have the name. Only the separator of RFC 6265, 5.4 is skipped: if other white
 * space were, another site could set our `__Host-` cookie.
 */
export function readCookie(headers: Headers, name: string): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const pair = part.replace(/^ +/, '');
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  }
  return undefined;
}

function decode(value: string | undefined): string | undefined {
  if (!value?.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
