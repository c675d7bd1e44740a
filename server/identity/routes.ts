import type { Logger } from 'pino';
import { z } from 'zod';
import type { Config, Services } from '../config.ts';
import type { Database } from '../database/database.ts';
import { ShopError } from '../errors.ts';
import { readBody } from '../request.ts';
import { giveBackTry, type Limits, takeTry } from '../tries.ts';
import { type Auth, addressHeader, createAuth } from './auth.ts';

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
const googlePaths = new Set(['/sign-in/social', '/link-social', '/callback/google']);

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
  const { database, limits, google } = options;
  const auth = createAuth({ ...options, google: undefined });
  let withGoogle: Promise<Auth> | undefined;

  /** Better Auth with Google, made when it is first wanted and its discovery document answers. */
  function getGoogleAuth(): Promise<Auth> {
    if (!google) throw new ShopError('not_found', 'This shop does not sign in with Google.');
    withGoogle ??= reachable(google.discoveryUrl)
      .then(async () => {
        const made = createAuth(options);
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

  async function answer(request: Request, path: string, address: string): Promise<Response> {
    const { name, headers } = prepare(request, path, address);
    const body = request.method === 'POST' ? await readBody(request, 100_000) : undefined;
    const asked = new Request(request.url, { method: request.method, headers, ...(body ? { body } : {}) });
    if (googlePaths.has(name)) return (await getGoogleAuth()).handler(asked);
    if (name === '/sign-up/email') await takeTry(database, `sign-up ${address}`, limits.signUpsForAddress);
    if (name !== '/sign-in/email') return auth.handler(asked);

    const email = emailIn(body);
    const both = `sign-in ${address} ${email}`;
    const alone = `sign-in ${address}`;
    await takeTry(database, both, limits.signInsForAddressAndEmail);
    await takeTry(database, alone, limits.signInsForAddress);
    const answered = await auth.handler(asked);
    if (answered.ok) {
      await giveBackTry(database, both);
      await giveBackTry(database, alone);
    }
    return answered;
  }

  return { auth, answer };
}

function prepare(request: Request, path: string, address: string): { name: string; headers: Headers } {
  const name = path.slice(authBase.length);
  const method = Object.hasOwn(mounted, name) ? mounted[name] : undefined;
  if (!method) throw new ShopError('not_found', 'There is no such call.');
  if (request.method !== method) throw new ShopError('wrong_method', `This address takes ${method}.`);
  const headers = new Headers(request.headers);
  headers.set(addressHeader, address);
  // A request with this header is judged by it alone; Better Auth would fall back to the cookie.
  if (headers.has('authorization')) headers.delete('cookie');
  return { name, headers };
}

const withEmail = z.object({ email: z.string().max(300).toLowerCase() });

function emailIn(body: Uint8Array<ArrayBuffer> | undefined): string {
  try {
    return withEmail.parse(JSON.parse(Buffer.from(body ?? []).toString('utf8'))).email;
  } catch {
    return '';
  }
}

async function reachable(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`discovery answered ${response.status}`);
}
