import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Kysely } from 'kysely';
import { buildSecurityHeaders } from './page.ts';
import { createGoogleTables, getOrCreateSecret } from './tables.ts';

export { people } from './people.ts';

const basePath = '/sandbox/google';
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A stand-in for Google's sign-in: an OpenID provider at `${origin()}/sandbox/google`. Its keys, secrets, sign-ins and tokens are
 * in `db`, so all processes that open the same database act as one provider. Loading the provider takes time and memory, so this
 * happens at the first request, as do the calls of `origin` and `redirectUris`. `onError` receives internal errors. Tests can add a
 * name (`openid-configuration`, `jwks`, `token`, `userinfo`) to `failingPaths`: paths that end in such a name then respond with
 * 503.
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
    const [{ createOidcProvider }, { handleAccountChoice }] = await Promise.all([
      import('./provider.ts'),
      import('./choice.ts'),
    ]);
    const origin = new URL(options.origin());
    const redirect_uris = options.redirectUris();
    const client = { client_id: clientId, client_secret: clientSecret, redirect_uris };
    const provider = await createOidcProvider(db, origin.origin + basePath, client);
    provider.on('server_error', (_, error) => onError(error));
    provider.onerror = onError;
    const headers = buildSecurityHeaders([origin.origin, ...redirect_uris.map((uri) => new URL(uri).origin)]);
    return { origin, headers, provider, callback: provider.callback(), handleAccountChoice };
  }
  let loading: ReturnType<typeof load> | undefined;

  async function handle(req: IncomingMessage, res: ServerResponse) {
    const originalUrl = req.url ?? basePath;
    const url = originalUrl.slice(basePath.length).replace(/^(?!\/)/, '/');
    const path = url.split('?', 1)[0] ?? '';
    if (failingPaths.has(path.slice(path.lastIndexOf('/') + 1))) return res.writeHead(503).end();

    loading ??= load();
    const { origin, headers, provider, callback, handleAccountChoice } = await loading;
    res.setHeaders(new Map(Object.entries(headers)));
    // A sign-in's cookies belong to one host, so redirect to the issuer's.
    if (path === '/auth' && isOtherLoopback(req.headers.host, origin)) {
      return res.writeHead(307, { Location: origin.origin + originalUrl }).end();
    }
    // The provider builds URLs from these headers; make them use our origin, whatever the client or a proxy sent.
    req.headers.host = origin.host;
    req.headers['x-forwarded-proto'] = origin.protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    if (path.startsWith('/choose/')) return handleAccountChoice(provider, db, req, res);
    // The provider derives its mount path from these two.
    Object.assign(req, { originalUrl, url });
    await callback(req, res);
  }

  return {
    clientId,
    clientSecret,
    discoveryPath: `${basePath}/.well-known/openid-configuration` as const,
    failingPaths,
    listener(req: IncomingMessage, res: ServerResponse) {
      handle(req, res).catch((error) => {
        // After any failure, the next request loads the provider again.
        loading = undefined;
        onError(error);
        if (res.headersSent) res.destroy();
        else res.writeHead(500).end('Something went wrong. Try again in a moment.');
      });
    },
  };
}

/**
 * True if the browser uses a loopback name other than the issuer's. Behind a proxy, the Host header does not tell which name the
 * browser used.
 */
function isOtherLoopback(host: string | undefined, origin: URL) {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return loopbackHosts.includes(name) && loopbackHosts.includes(origin.hostname) && name !== origin.hostname;
}
