import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { ShopError, wrongMethod } from '../errors.ts';
import { readOptionalJson } from '../request.ts';
import type { Services } from '../services.ts';
import { giveBackTry, type Limits, takeTry } from '../tries.ts';
import { createTurns } from '../turns.ts';
import type { Auth } from './auth.ts';
import { addressHeader, sessionCookie } from './names.ts';
import { endReplaced, requireFresh } from './standing.ts';
import type { Viewer } from './viewer.ts';

/** Better Auth's paths that the shop mounts; it has more, and they answer 404. */
const mounted: Record<string, 'GET' | 'POST'> = {
  '/sign-up/email': 'POST',
  '/sign-in/email': 'POST',
  '/sign-in/social': 'POST',
  '/link-social': 'POST',
  '/callback/google': 'GET',
  '/sign-out': 'POST',
  '/get-session': 'GET',
  '/change-password': 'POST',
  '/list-sessions': 'GET',
  '/revoke-session': 'POST',
  '/revoke-sessions': 'POST',
  '/revoke-other-sessions': 'POST',
};
/** What gives a visitor a session. */
const entering = new Set(['/sign-up/email', '/sign-in/email', '/callback/google']);
const googlePaths = new Set(['/sign-in/social', '/link-social', '/callback/google']);

/** The network address that a request came from, and who sent it. */
type Visitor = { address: string; findViewer: () => Promise<Viewer | undefined> };

export const authBase = '/api/auth';

/** Answers `/api/auth/…`: Better Auth's protocol, with the shop's limits on guessing. */
export function createIdentityRoutes(options: {
  config: Config;
  database: Database;
  secret: string;
  log: Logger;
  google: Services['google'];
  limits: Limits;
}) {
  const { config, database, secret, limits, google } = options;
  let plain: Promise<Auth> | undefined;
  const getAuth = () => (plain ??= loadAuth(undefined));

  /** Better Auth is half of all modules that the shop has: loaded when it is first wanted, it costs no start. */
  async function loadAuth(withGoogle: typeof google): Promise<Auth> {
    const { createAuth } = await import('./auth.ts');
    return createAuth({ ...options, google: withGoogle });
  }

  // Many who sign in at once from one network wait for each other instead of using up its tries.
  const takeTurn = createTurns(4);
  const known = { database, secret, cookie: sessionCookie(config) };
  let withGoogle: Promise<Auth> | undefined;

  /** Better Auth with Google, made when it is first wanted and its discovery document answers. */
  function getGoogleAuth(): Promise<Auth> {
    if (!google) throw new ShopError('not_found', 'This shop does not sign in with Google.');
    withGoogle ??= reachable(google.discoveryUrl)
      .then(async () => {
        const made = await loadAuth(google);
        const context = await made.$context;
        if (!context.socialProviders.some(({ id }) => id === 'google'))
          throw new Error('discovery left no provider');
        return made;
      })
      .catch((cause: unknown) => {
        withGoogle = undefined;
        throw new ShopError(
          'unavailable',
          'Google cannot be reached at the moment. Try again, or sign in with your e-mail.',
          { cause },
        );
      });
    return withGoogle;
  }

  async function answer(request: Request, path: string, visit: Visitor): Promise<Response> {
    const { address } = visit;
    const { name, headers } = prepare(request, path, address);
    const form = request.method === 'POST' ? await readForm(request, name) : undefined;
    const asked = new Request(request.url, {
      method: request.method,
      headers,
      ...(form ? { body: toBody(form) } : {}),
    });
    // Better Auth takes a database that is away for a visitor who is not signed in, and says that a sign-out
    // has worked: let it be found out before.
    await database.db.selectFrom('session').select('id').limit(1).execute();
    const before = await visit.findViewer();
    if (name === '/link-social') await requireFresh(database, before);
    const answered = await hand(asked, name, address, form, before);
    // Its own 500 stands for a database that went away while it asked.
    if (answered.status === 500) throw notNow();
    if (entering.has(name)) await endReplaced(known, before, answered);
    return answered;
  }

  /** Hands a request to Better Auth, within the shop's limits on guessing. */
  async function hand(
    asked: Request,
    name: string,
    address: string,
    form: Form | undefined,
    viewer: Viewer | undefined,
  ): Promise<Response> {
    if (googlePaths.has(name)) return (await getGoogleAuth()).handler(asked);
    const email = typeof form?.email === 'string' ? form.email.slice(0, 300).toLowerCase() : '';
    if (name === '/sign-up/email') return signUp(asked, address, email);
    // Whoever has got hold of a session would guess its password here, and without end.
    if (name === '/change-password' && viewer) return judgePassword(asked, address, viewer.email);
    if (name !== '/sign-in/email') return (await getAuth()).handler(asked);
    return takeTurn(address, () => judgePassword(asked, address, email));
  }

  async function signUp(asked: Request, address: string, email: string): Promise<Response> {
    await takeTry(database, `sign-up ${address}`, limits.signUpsForAddress);
    const answered = await (await getAuth()).handler(asked);
    if ((await codeOf(answered)) !== 'FAILED_TO_CREATE_USER') return answered;
    // It says so where somebody took the address at the same moment, and of a database that fails in between.
    const taken = database.db.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst();
    if (await taken) return answered;
    throw notNow();
  }

  /** A try is taken before it is judged, so that guesses sent at once count each, and given back unless it was one. */
  async function judgePassword(asked: Request, address: string, email: string): Promise<Response> {
    const both = `sign-in ${address} ${email}`;
    const alone = `sign-in ${address}`;
    await takeTry(database, both, limits.signInsForAddressAndEmail);
    await takeTry(database, alone, limits.signInsForAddress);
    let guessed = false;
    try {
      const answered = await (await getAuth()).handler(asked);
      guessed = await isWrongPassword(answered);
      return answered;
    } finally {
      if (!guessed) {
        await giveBackTry(database, both);
        await giveBackTry(database, alone);
      }
    }
  }

  return { answer };
}

function prepare(request: Request, path: string, address: string): { name: string; headers: Headers } {
  const name = path.slice(authBase.length);
  const method = Object.hasOwn(mounted, name) ? mounted[name] : undefined;
  if (!method) throw new ShopError('not_found', 'There is no such call.');
  if (request.method !== method) throw wrongMethod(method);
  for (const value of new URL(request.url).searchParams.values()) refuseNul(value);
  const headers = new Headers(request.headers);
  headers.set(addressHeader, address);
  // The body is written anew.
  headers.delete('content-length');
  // A request with this header is judged by it alone; Better Auth would fall back to the cookie.
  if (headers.has('authorization')) headers.delete('cookie');
  return { name, headers };
}

/** Better Auth's answers to a wrong password: 401 at sign-in, this code where one is changed. */
async function isWrongPassword(answered: Response): Promise<boolean> {
  if (answered.ok || answered.status === 401) return !answered.ok;
  return (await codeOf(answered)) === 'INVALID_PASSWORD';
}

const notNow = () =>
  new ShopError('unavailable', 'This is not possible at the moment. Try again shortly.', { retryAfter: 5 });

/** The code of a refusal of Better Auth's. */
async function codeOf(answered: Response): Promise<unknown> {
  if (answered.ok) return undefined;
  const said: unknown = await answered
    .clone()
    .json()
    .catch(() => undefined);
  return typeof said === 'object' && said !== null && 'code' in said ? said.code : undefined;
}

type Form = Record<string, unknown>;

/** A call's form, or undefined where it has none. Throws 400, 413 and 415. */
async function readForm(request: Request, name: string): Promise<Form | undefined> {
  const sent = await readOptionalJson(request);
  if (sent === undefined) return undefined;
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ShopError('unreadable', 'The body is not a form.');
  if (name !== '/sign-up/email') return { ...sent };
  // All that somebody may say of themselves: a role, a date or a picture is ignored.
  const fields = ['name', 'email', 'password', 'rememberMe'];
  return Object.fromEntries(Object.entries(sent).filter(([field]) => fields.includes(field)));
}

function toBody(form: Form): string {
  return JSON.stringify(form, (_, value: unknown) => {
    if (typeof value === 'string') refuseNul(value);
    return value;
  });
}

/** No field needs it, and PostgreSQL refuses it, which would look like a fault of ours. */
function refuseNul(text: string): void {
  if (text.includes('\0')) throw new ShopError('unreadable', 'There is a character that cannot be taken.');
}

async function reachable(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'error' });
  if (!response.ok) throw new Error(`discovery answered ${response.status}`);
  // Else it would be trusted in another's name (OpenID Connect Discovery 1.0, 4.3).
  const { issuer }: { issuer?: unknown } = await response.json();
  if (`${String(issuer).replace(/\/$/, '')}/.well-known/openid-configuration` !== url)
    throw new Error('the discovery document is of another issuer');
}
