import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { Config } from '../config/config.ts';
import { chooseEncoding, type Encoding, encode, matchesEtag } from './encoding.ts';
import { isAnonymous, isReadMethod, listHosts } from './origin.ts';
import type { Env, RouteName } from './request-context.ts';
import { setSecurityHeaders } from './security-headers.ts';

type Body = Uint8Array<ArrayBuffer>;
/** A response before content encoding. */
type Rendered = {
  status: number;
  headers: Headers;
  text: string;
  encodes: boolean;
  /** Finished bodies; `encodings` also has those still being compressed, so that waiting requests share one. */
  bodies: Map<Encoding, Body>;
  encodings: Map<Encoding, Promise<Body>>;
};
/** A cached response, with its raw headers and the request's name for `sendCached`. */
type Entry = Rendered & { name: RouteName; wire: string[]; etag: string };

const maxEntries = 500;
const maxCharacters = 8_000_000;

export type ResponseCache = ReturnType<typeof createResponseCache>;

/**
 * Caches the responses that all anonymous visitors share: public pages, lists, products. Each is rendered once and
 * compressed once per encoding, until a product or a review changes.
 */
export function createResponseCache(config: Config, nameOf: (method: string, address: string) => RouteName) {
  const hosts = listHosts(config);
  const entries = new Map<string, Entry>();
  const rendering = new Map<string, Promise<Rendered>>();
  let characters = 0;
  let generation = 0;

  /** The key of the response to a request, or undefined if the response may differ between visitors. */
  function findKey(request: {
    method: string | undefined;
    host: string | undefined;
    /** Path and query. */
    target: string | undefined;
    anonymous: boolean;
  }): string | undefined {
    const { method, host = '', target, anonymous } = request;
    return isReadMethod(method) && anonymous && hosts.has(host) ? target : undefined;
  }

  /**
   * Answers anonymous reads from the cache. Requests that arrive while a response is being rendered share it. It is
   * cached if it is a 200 with `Cache-Control: public`.
   */
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    const { url, anonymous } = c.env;
    const { host, pathname, search } = url;
    const request = c.req.raw;
    const key = findKey({ method: request.method, host, target: pathname + search, anonymous });
    if (key === undefined) return next();
    // A HEAD request renders the body, too: others share it.
    if (request.method === 'HEAD') c.req.raw = new Request(url, { headers: request.headers });
    const render = async () => {
      await next();
      return c.res;
    };
    const rendered = entries.get(key) ?? (await (rendering.get(key) ?? startRendering(key, render)));
    const response = await toResponse(request, rendered);
    // Otherwise Hono copies the old response's headers to the new one.
    c.res = undefined;
    c.res = response;
  };

  function startRendering(key: string, render: () => Promise<Response>): Promise<Rendered> {
    const started = renderAndCache(key, render);
    rendering.set(key, started);
    return started;
  }

  async function renderAndCache(key: string, render: () => Promise<Response>): Promise<Rendered> {
    const started = generation;
    try {
      const rendered = await read(key, await render());
      // Don't cache a response that was rendered from data before a change.
      if ('etag' in rendered && started === generation) put(key, rendered);
      return rendered;
    } finally {
      if (started === generation) rendering.delete(key);
    }
  }

  async function read(key: string, response: Response): Promise<Rendered | Entry> {
    const { status } = response;
    const text = await response.text();
    const headers = new Headers(response.headers);
    const bodies: Rendered['bodies'] = new Map();
    const encodings: Rendered['encodings'] = new Map();
    if (status !== 200 || !headers.get('cache-control')?.startsWith('public')) {
      const encodes = headers.get('vary')?.includes('Accept-Encoding') ?? false;
      return { status, headers, text, encodes, bodies, encodings };
    }
    // Weak: all encodings share it.
    const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
    headers.set('etag', etag);
    // API calls don't know that their responses are compressed here.
    if (!/accept-encoding/i.test(headers.get('vary') ?? '')) headers.append('vary', 'Accept-Encoding');
    const sent = new Headers(headers);
    setSecurityHeaders(config, sent);
    const name = nameOf('GET', key);
    return { status, headers, text, encodes: true, bodies, encodings, name, wire: [...sent].flat(), etag };
  }

  function put(key: string, entry: Entry): void {
    entries.set(key, entry);
    characters += entry.text.length;
    // The number of URLs is unlimited: evict the oldest entries.
    for (const [oldest, { text }] of entries) {
      if (entries.size <= maxEntries && characters <= maxCharacters) return;
      entries.delete(oldest);
      characters -= text.length;
    }
  }

  /**
   * Sends a cached response without creating a `Request`, which would cost more than everything else. Returns the
   * request's name for the metrics, or undefined if the app has to respond.
   */
  function sendCached(incoming: IncomingMessage, outgoing: ServerResponse): RouteName | undefined {
    const { url, method, headers: requestHeaders } = incoming;
    const anonymous = isAnonymous(requestHeaders.cookie, requestHeaders.authorization);
    const key = findKey({ method, host: requestHeaders.host, target: url, anonymous });
    const entry = key === undefined ? undefined : entries.get(key);
    if (!entry) return undefined;
    const headers = [...entry.wire, 'x-request-id', randomUUID()];
    if (matchesEtag(requestHeaders['if-none-match'], entry.etag)) {
      outgoing.writeHead(304, headers).end();
      return entry.name;
    }
    const encoding = chooseEncoding(joinValues(requestHeaders['accept-encoding']));
    const body = entry.bodies.get(encoding);
    if (!body) return undefined;
    if (encoding !== 'identity') headers.push('content-encoding', encoding);
    headers.push('content-length', String(body.length));
    outgoing.writeHead(200, headers).end(method === 'HEAD' ? undefined : body);
    return entry.name;
  }

  return {
    middleware,
    sendCached,
    clear() {
      generation += 1;
      characters = 0;
      entries.clear();
      rendering.clear();
    },
  };
}

async function toResponse(request: Request, rendered: Rendered | Entry): Promise<Response> {
  const { status, text, encodes, bodies, encodings } = rendered;
  const headers = new Headers(rendered.headers);
  if ('etag' in rendered && matchesEtag(request.headers.get('if-none-match'), rendered.etag))
    return new Response(null, { status: 304, headers });
  // Redirects and 204s have no body, and a 204 must not have one.
  if (text === '') return new Response(null, { status, headers });
  const encoding = encodes ? chooseEncoding(request.headers.get('accept-encoding')) : 'identity';
  // Level 6 of 11: within 10 % of the smallest size, in a sixtieth of the time.
  const level = 'etag' in rendered ? 6 : 1;
  const started = encodings.get(encoding) ?? encode(text, encoding, level);
  encodings.set(encoding, started);
  const body = await started;
  bodies.set(encoding, body);
  if (encoding !== 'identity') headers.set('content-encoding', encoding);
  headers.set('content-length', String(body.length));
  return new Response(request.method === 'HEAD' ? null : body, { status, headers });
}

const joinValues = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value);
