import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Kysely } from 'kysely';
import { securityHeaders } from './page.ts';
import { createGoogleTables, getOrCreateSecret } from './tables.ts';

export { people } from './people.ts';

const BASE = '/sandbox/google';
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A stand-in for Google's sign-in: an OpenID provider below `${origin()}/sandbox/google`. Its keys, secrets,
 * sign-ins and tokens are in `db`, so that every process that opens the same database is the same provider.
 * The provider is loaded at the first request (it costs time and memory); `origin` and the shop's
 * `redirectUris` are read then. `onError` hears of failures of ours. `failingPaths` is for tests: the last parts of
 * paths (`openid-configuration`, `jwks`, `token`, `userinfo`) that answer 503.
 */
export async function openGoogle(options: {
  db: Kysely<unknown>;
  origin: () => string;
  redirectUris: () => string[];
  onError?: (error: unknown) => void;
}) {
  const db = await createGoogleTables(options.db);
  const { onError = () => undefined } = options;
  const random = () => randomBytes(24).toString('base64url');
  const clientId = await getOrCreateSecret(db, 'client id', () => `${random()}.apps.google.example`);
  const clientSecret = await getOrCreateSecret(db, 'client secret', random);
  const failingPaths = new Set<string>();

  async function load() {
    const [{ createOidcProvider: openProvider }, { handleAccountChoice: answerChoice }] = await Promise.all([
      import('./provider.ts'),
      import('./choice.ts'),
    ]);
    const origin = new URL(options.origin());
    const redirect_uris = options.redirectUris();
    const client = { client_id: clientId, client_secret: clientSecret, redirect_uris };
    const provider = await openProvider(db, origin.origin + BASE, client);
    provider.on('server_error', (_, error) => onError(error));
    provider.onerror = onError;
    const headers = securityHeaders([origin.origin, ...redirect_uris.map((uri) => new URL(uri).origin)]);
    return { origin, headers, provider, callback: provider.callback(), answerChoice };
  }
  let loading: ReturnType<typeof load> | undefined;

  async function answer(req: IncomingMessage, res: ServerResponse) {
    const originalUrl = req.url ?? BASE;
    const url = originalUrl.slice(BASE.length).replace(/^(?!\/)/, '/');
    const path = url.split('?', 1)[0] ?? '';
    if (failingPaths.has(path.slice(path.lastIndexOf('/') + 1))) return res.writeHead(503).end();

    loading ??= load();
    const { origin, headers, provider, callback, answerChoice } = await loading;
    res.setHeaders(new Map(Object.entries(headers)));
    // The cookies of a sign-in belong to one host: go on at the one that the issuer names.
    if (path === '/auth' && isOtherLoopback(req.headers.host, origin)) {
      return res.writeHead(307, { Location: origin.origin + originalUrl }).end();
    }
    // Addresses are made for our own origin, whatever the request or a proxy calls us.
    req.headers.host = origin.host;
    req.headers['x-forwarded-proto'] = origin.protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    if (path.startsWith('/choose/')) return answerChoice(provider, db, req, res);
    // The provider learns from the two where it is mounted.
    Object.assign(req, { originalUrl, url });
    await callback(req, res);
  }

  return {
    clientId,
    clientSecret,
    discoveryPath: `${BASE}/.well-known/openid-configuration` as const,
    failingPaths,
    listener(req: IncomingMessage, res: ServerResponse) {
      answer(req, res).catch((error) => {
        // A failed start (the database was away) is tried again at the next request.
        loading = undefined;
        onError(error);
        if (res.headersSent) res.destroy();
        else res.writeHead(500).end('Something went wrong. Try again in a moment.');
      });
    },
  };
}

/** The browser may know this machine by another name than the issuer's; behind a proxy names say nothing. */
function isOtherLoopback(host: string | undefined, origin: URL) {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return LOOPBACK.includes(name) && LOOPBACK.includes(origin.hostname) && name !== origin.hostname;
}
