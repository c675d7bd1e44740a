import type { Database } from '../database/database.ts';
import { readBearer } from '../http/request.ts';
import type { Viewer } from '../http/visit.ts';
import { verifyToken } from './token.ts';

/**
 * Who is asking, by one indexed query: a request with an `Authorization` header is judged by that header
 * alone, only without one does the cookie count. Role and session are read anew each time, so promotion and
 * sign-out act on the next call.
 */
export function createViewerFinder(options: { database: Database; secret: string; cookie: string }) {
  const { database, secret, cookie } = options;

  return async function findViewer(headers: Headers): Promise<Viewer | undefined> {
    const signed = carried(headers, cookie);
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

/** The e-mail of whoever added something, as a field of it: only an admin and they themselves see it. */
export function privateEmail({ email }: { email: string }, viewer: Viewer | undefined): { email?: string } {
  return viewer?.role === 'admin' || viewer?.email === email ? { email } : {};
}

/** How a person signs in: `password`, `google` or both. */
export async function listSignInMethods({ db }: Database, userId: string): Promise<string[]> {
  const accounts = await db
    .selectFrom('account')
    .select('providerId')
    .where('userId', '=', userId)
    .orderBy('id')
    .execute();
  return accounts.map(({ providerId }) => nameSignInMethod(providerId));
}

/** What the shop calls a way to sign in that Better Auth has a name of its own for. */
export const nameSignInMethod = (providerId: string): string =>
  providerId === 'credential' ? 'password' : providerId;

function carried(headers: Headers, cookie: string): string | undefined {
  const authorization = headers.get('authorization');
  if (authorization !== null) return decode(readBearer(authorization));
  return decode(readCookie(headers, cookie));
}

/**
 * A cookie's raw value; the first if several have the name. Only the separator of RFC 6265, 5.4 is skipped: with other
 * white space before `__Host-`, another site could set our cookie.
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
