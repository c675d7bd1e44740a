import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { Config } from '../config/config.ts';
import { chooseEncoding, computeEtag, type Encoding, encode, matchesEtag } from './encoding.ts';
import { keepKnownParameters } from './known-parameters.ts';
import { isAnonymous, isReadMethod, listHosts, setSecurityHeaders } from './origin.ts';
import type { FairQueue } from './rate-limit.ts';
import type { Env, RouteName } from './request-context.ts';

type Body = Uint8Array<ArrayBuffer>;
/** A response before content encoding. A body is a promise while it is compressed, so that waiting requests share it. */
type Rendered = {
  status: number;
  headers: Headers;
  text: string;
  bodies: Map<Encoding, Body | Promise<Body>>;
  /** Undefined if the response must not be cached. */
  etag: string | undefined;
};
/** A cached response, with its raw headers and the request's name for `sendCached`. */
type Entry = Rendered & { etag: string; name: RouteName; wire: string[]; wasUsed: boolean };

const maxEntries = 500;
const maxCharacters = 8_000_000;

export type ResponseCache = ReturnType<typeof createResponseCache>;

type Options = {
  config: Config;
  nameOf: (method: string, target: string) => RouteName;
  /** Limits how many responses of a network address are rendered at a time. */
  renderQueue: FairQueue;
};

/**
 * Caches the responses that all anonymous visitors share: public pages, lists, products. Each is rendered once and
 * compressed once per encoding, until a product or a review changes.
 */
export function createResponseCache({ config, nameOf, renderQueue }: Options) {
  const hosts = listHosts(config);
  const entries = new Map<string, Entry>();
  const rendering = new Map<string, Promise<Rendered>>();
  let characters = 0;
  let generation = 0;

  /** The key of the response to a request, or undefined if the response may differ between visitors. */
  function findKey(
    method: string | undefined,
    host: string | undefined,
    pathAndQuery: string | undefined,
    anonymous: boolean,
  ): string | undefined {
    return isReadMethod(method) && anonymous && hosts.has(host ?? '') ? pathAndQuery : undefined;
  }

  /**
   * Serves anonymous reads from the cache. Requests that arrive while a response is being rendered share it. The response is
   * cached if it is a 200 with `Cache-Control: public`. Reads that have to be rendered wait for their address's turn.
   */
  const middleware: MiddlewareHandler<Env> = async (c, next) => {
    const { url, anonymous, address } = c.env;
    const request = c.req.raw;
    if (!isReadMethod(request.method)) return next();
    const target = url.pathname + url.search;
    const known = findKey(request.method, url.host, target, anonymous);
    if (known === undefined) return renderQueue(address, next, request.signal);
    const key = canonicalize(known);
    // Render from the key's URL, so that a shared response depends on nothing else. HEAD renders the body, too: others share it.
    if (key !== target || request.method === 'HEAD')
      c.req.raw = new Request(new URL(key, url), { headers: request.headers });
    const render = async () => {
      await next();
      return readResponse(c.res);
    };
    const renderInTurn = async () => {
      const pending = findPending(key);
      const shared = pending && (await pending);
      return toResponse(request, isForAll(shared) ? shared : await renderAndCache(key, render));
    };
    // Also looks before the queue. A response is shared only once its rendering has begun: nobody waits for another's turn.
    const pending = findPending(key);
    const shared = pending && (await pending);
    const response = isForAll(shared)
      ? await toResponse(request, shared)
      : await renderQueue(address, renderInTurn, request.signal);
    // Otherwise Hono copies the old response's headers to the new one.
    c.res = undefined;
    c.res = response;
  };

  const findPending = (key: string): Rendered | Promise<Rendered> | undefined =>
    find(key) ?? rendering.get(key);

  function renderAndCache(key: string, render: () => Promise<Rendered>): Promise<Rendered> {
    const started = generation;
    const cache = (rendered: Rendered) => {
      // Don't cache a response that was rendered from data before a change.
      if (started === generation) put(key, rendered);
      return rendered;
    };
    const rendered = render()
      .then(cache)
      .finally(() => {
        if (started === generation) rendering.delete(key);
      });
    rendering.set(key, rendered);
    return rendered;
  }

  const canonicalize = (target: string) =>
    target.includes('?') ? keepKnownParameters(target, nameOf('GET', target).call, config) : target;

  function find(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry) entry.wasUsed = true;
    return entry;
  }

  function put(key: string, rendered: Rendered): void {
    const { etag, headers } = rendered;
    if (etag === undefined) return;
    const sent = new Headers(headers);
    setSecurityHeaders(config, sent);
    characters += rendered.text.length;
    // There is no limit on the number of URLs, so the oldest entries are evicted. An entry that was used since it was added or last
    // spared is spared once more (second chance), so that a flood of new URLs does not evict the popular ones. Moving an entry at
    // each use instead would make responses 5 % slower.
    for (const [oldest, entry] of entries) {
      if (entries.size < maxEntries && characters <= maxCharacters) break;
      entries.delete(oldest);
      if (entry.wasUsed) entries.set(oldest, entry);
      else characters -= entry.text.length;
      entry.wasUsed = false;
    }
    entries.set(key, { ...rendered, etag, name: nameOf('GET', key), wire: [...sent].flat(), wasUsed: false });
  }

  /**
   * Sends a cached response without creating a `Request`, which would cost more than everything else. Returns the
   * request's name for the metrics, or undefined if the app has to respond.
   */
  function sendCached(incoming: IncomingMessage, outgoing: ServerResponse): RouteName | undefined {
    const { url, method, headers: requestHeaders } = incoming;
    const anonymous = isAnonymous(requestHeaders.cookie, requestHeaders.authorization);
    const key = findKey(method, requestHeaders.host, url, anonymous);
    // Most targets are already canonical, so try the target itself first.
    const entry = key === undefined ? undefined : (find(key) ?? find(canonicalize(key)));
    if (!entry) return undefined;
    const headers = [...entry.wire, 'x-request-id', randomUUID()];
    if (matchesEtag(requestHeaders['if-none-match'], entry.etag)) {
      outgoing.writeHead(304, headers).end();
      return entry.name;
    }
    const encoding = chooseEncoding(requestHeaders['accept-encoding']?.toString());
    const body = entry.bodies.get(encoding);
    if (!(body instanceof Uint8Array)) return undefined;
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

async function readResponse(response: Response): Promise<Rendered> {
  const { status } = response;
  const text = await response.text();
  const headers = new Headers(response.headers);
  const rendered = { status, headers, text, bodies: new Map(), etag: undefined };
  if (status !== 200 || !headers.get('cache-control')?.startsWith('public')) return rendered;
  // A weak ETag, because all encodings share it.
  const etag = computeEtag(text);
  headers.set('etag', etag);
  // API calls don't know that their responses are compressed here.
  if (!isEncodable(headers)) headers.append('vary', 'Accept-Encoding');
  return { ...rendered, etag };
}

/** A 429 is only for the address whose limit is used up. */
const isForAll = (rendered: Rendered | undefined): rendered is Rendered =>
  rendered !== undefined && rendered.status !== 429;

const isEncodable = (headers: Headers) => /accept-encoding/i.test(headers.get('vary') ?? '');

async function toResponse(request: Request, rendered: Rendered): Promise<Response> {
  const { status, text, bodies, etag } = rendered;
  const headers = new Headers(rendered.headers);
  if (etag !== undefined && matchesEtag(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  // Redirects and 204s have no body, and a 204 must not have one.
  if (text === '') return new Response(null, { status, headers });
  const encoding = isEncodable(headers) ? chooseEncoding(request.headers.get('accept-encoding')) : 'identity';
  // Level 6 of 11: within 10 % of the smallest size, in a sixtieth of the time.
  const started = bodies.get(encoding) ?? encode(text, encoding, etag === undefined ? 1 : 6);
  bodies.set(encoding, started);
  const body = await started;
  bodies.set(encoding, body);
  if (encoding !== 'identity') headers.set('content-encoding', encoding);
  headers.set('content-length', String(body.length));
  return new Response(request.method === 'HEAD' ? null : body, { status, headers });
}
