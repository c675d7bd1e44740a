import type { IdentityResponse } from '../../../contract/pages.ts';
import { unreachable } from './client.ts';

/** An error response of the identity service (Better Auth, under `/api/auth`). Forms show its message. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  /** 0 if the service did not respond. */
  readonly status: number;
  /** Better Auth's code, if it responded with one. */
  readonly code: unknown;
  constructor(message: string, status = 0, code?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type Session = { id: string; user: Record<string, unknown> };

export async function signOut(): Promise<void> {
  await callIdentity('/sign-out', {});
}

/** The session of the browser's cookie. */
export async function readSession(): Promise<Session | undefined> {
  const body = await callIdentity('/get-session');
  if (!isRecord(body) || !isRecord(body.session) || !isRecord(body.user)) return undefined;
  return { id: String(body.session.id), user: body.user };
}

/** The id of the user for whom a page sends a request. The shop rejects the request if another user is signed in by then. */
export const expectedUserHeader = 'expected-user';

/**
 * Calls the identity service: a POST if there is a `body`, otherwise a GET. Fails if another user than `expectedUser` is
 * signed in.
 */
export async function callIdentity(path: string, body?: object, expectedUser?: string): Promise<unknown> {
  const response = await fetch(`/api/auth${path}`, {
    headers: {
      'content-type': 'application/json',
      ...(expectedUser ? { [expectedUserHeader]: expectedUser } : {}),
    },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw new IdentityError(unreachable.detail);
  });
  return readIdentityResponse({
    status: response.status,
    body: await response.json().catch(() => undefined),
    retryAfter: response.headers.get('retry-after'),
  });
}

/** The body of a successful response. Throws `IdentityError` for any other. */
export function readIdentityResponse({ status, body, retryAfter }: IdentityResponse): unknown {
  if (status >= 200 && status < 300) return body;
  if (status === 429) {
    const minutes = Math.ceil(Number(retryAfter ?? 60) / 60);
    throw new IdentityError(
      `Too many attempts. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`,
      status,
    );
  }
  const message = isRecord(body) ? (body.message ?? body.detail) : undefined;
  throw new IdentityError(
    typeof message === 'string' && message ? message : 'Something went wrong. Try again in a moment.',
    status,
    isRecord(body) && body.code,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
