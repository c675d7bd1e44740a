import type { IdentityAnswer } from '../../contract/pages.ts';

/**
 * The identity service's calls (Better Auth's, under `/api/auth`). The session itself is an HttpOnly cookie that
 * no script sees. What the service refuses is thrown as an `IdentityRefused` whose message the forms show.
 */
export class IdentityRefused extends Error {
  override readonly name = 'IdentityRefused';
  /** 0 if the service did not respond. */
  readonly status: number;
  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

type Session = { id: string; user: Record<string, unknown> };

export async function signOut(): Promise<void> {
  await ask('/sign-out', {});
}

/** Who the browser's cookie says is signed in. */
export async function readSession(): Promise<Session | undefined> {
  const answer = await ask('/get-session');
  if (!isRecord(answer) || !isRecord(answer.session) || !isRecord(answer.user)) return undefined;
  return { id: String(answer.session.id), user: answer.user };
}

/** Any other call of the service: `body` makes it a POST. */
export async function ask(path: string, body?: object): Promise<unknown> {
  const response = await fetch(`/api/auth${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw new IdentityRefused('The shop cannot be reached. Check your connection and try again.');
  });
  return readIdentityAnswer({
    status: response.status,
    body: await response.json().catch(() => undefined),
    retryAfter: response.headers.get('retry-after'),
  });
}

/** The body of a successful answer. Throws `IdentityRefused` for any other. */
export function readIdentityAnswer({ status, body, retryAfter }: IdentityAnswer): unknown {
  if (status >= 200 && status < 300) return body;
  if (status === 429) {
    const minutes = Math.ceil(Number(retryAfter ?? 60) / 60);
    throw new IdentityRefused(
      `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`,
      status,
    );
  }
  const said = isRecord(body) ? (body.message ?? body.detail) : undefined;
  throw new IdentityRefused(
    typeof said === 'string' && said ? said : 'That did not work. Try again in a moment.',
    status,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
