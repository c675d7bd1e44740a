import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from './config.ts';
import { chooseEncoding, type Encoding, encode, isKnown } from './encoding.ts';
import type { Name } from './metrics/names.ts';
import { hostsOf } from './origin.ts';
import { secure } from './security-headers.ts';

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
/** A cached response: also its raw form, sent without a `Request`, and the name of the request it answers. */
type Entry = Rendered & { name: Name; wire: string[]; etag: string };

const mostEntries = 500;
const mostCharacters = 8_000_000;

export type Kept = ReturnType<typeof createKept>;

/**
 * Answers that every visitor who is not signed in gets alike: public pages, lists, products. Each is made once,
 * compressed once an encoding, and kept until something changes; who knows it by its ETag gets 304.
 */
export function createKept(config: Config, nameOf: (method: string, address: string) => Name) {
  const hosts = hostsOf(config);
  const entries = new Map<string, Entry>();
  const rendering = new Map<string, Promise<Rendered>>();
  let characters = 0;
  let generation = 0;

  /**
   * The response to an anonymous GET or HEAD, from the cache or rendered now. Requests that arrive while it is being
   * rendered share its outcome. It is cached if it is a 200 with `Cache-Control: public`. Without `keep`,
   * nothing is shared or cached.
   */
  async function answer(request: Request, key: string, make: () => Promise<Response>, keep = true) {
    if (!keep) return toResponse(request, await render(key, make));
    const cached = entries.get(key);
    if (cached) return toResponse(request, cached);
    let shared = rendering.get(key);
    if (!shared) {
      shared = renderAndCache(key, make);
      rendering.set(key, shared);
    }
    return toResponse(request, await shared);
  }

  async function renderAndCache(key: string, make: () => Promise<Response>): Promise<Rendered> {
    const started = generation;
    try {
      const rendered = await render(key, make);
      // Otherwise something changed meanwhile, and the next visitor gets a newer one.
      if ('etag' in rendered && started === generation) put(key, rendered);
      return rendered;
    } finally {
      if (started === generation) rendering.delete(key);
    }
  }

  async function render(key: string, make: () => Promise<Response>): Promise<Rendered | Entry> {
    const response = await make();
    const { status } = response;
    const text = await response.text();
    const headers = new Headers(response.headers);
    const bodies: Rendered['bodies'] = new Map();
    const encodings: Rendered['encodings'] = new Map();
    if (status !== 200 || !headers.get('cache-control')?.startsWith('public')) {
      const encodes = headers.get('vary')?.includes('Accept-Encoding') ?? false;
      return { status, headers, text, encodes, bodies, encodings };
    }
    // Weak: it is the same for all encodings.
    const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
    headers.set('etag', etag);
    // It is compressed here, whichever route made it.
    if (!/accept-encoding/i.test(headers.get('vary') ?? '')) headers.append('vary', 'Accept-Encoding');
    const sent = new Headers(headers);
    secure(config, sent);
    const name = nameOf('GET', key);
    return { status, headers, text, encodes: true, bodies, encodings, name, wire: [...sent].flat(), etag };
  }

  function put(key: string, entry: Entry): void {
    entries.set(key, entry);
    characters += entry.text.length;
    // Anybody can request any number of addresses: evict the oldest entry.
    for (const [oldest, { text }] of entries) {
      if (entries.size <= mostEntries && characters <= mostCharacters) return;
      entries.delete(oldest);
      characters -= text.length;
    }
  }

  /**
   * The same straight from the network, without a `Request`, which costs more than all the rest. Gives what was
   * answered; undefined where there is nothing kept for this one, and the app has to answer.
   */
  function send(
    { url = '', method, headers: asked }: IncomingMessage,
    outgoing: ServerResponse,
  ): Name | undefined {
    const entry = entries.get(url);
    if (!entry || (method !== 'GET' && method !== 'HEAD')) return undefined;
    // The same conditions as in app.ts: ours by its Host, and nobody's by its credentials.
    if (asked.cookie !== undefined || asked.authorization !== undefined) return undefined;
    if (!hosts.has(asked.host ?? '')) return undefined;
    const headers = [...entry.wire, 'x-request-id', randomUUID()];
    if (isKnown(asked['if-none-match'], entry.etag)) {
      outgoing.writeHead(304, headers).end();
      return entry.name;
    }
    const encoding = chooseEncoding(asAsked(asked['accept-encoding']));
    const body = entry.bodies.get(encoding);
    if (!body) return undefined;
    if (encoding !== 'identity') headers.push('content-encoding', encoding);
    headers.push('content-length', String(body.length));
    outgoing.writeHead(200, headers).end(method === 'HEAD' ? undefined : body);
    return entry.name;
  }

  return {
    answer,
    send,
    /** A product or a review changed: everything is made anew. */
    forget() {
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
  if ('etag' in rendered && isKnown(request.headers.get('if-none-match'), rendered.etag))
    return new Response(null, { status: 304, headers });
  // Redirects and 204s have no body, and a 204 must not have one.
  if (text === '') return new Response(null, { status, headers });
  const encoding = encodes ? chooseEncoding(request.headers.get('accept-encoding')) : 'identity';
  // 6 of 11: within a tenth of the smallest, which takes sixty times as long after each change.
  const level = 'etag' in rendered ? 6 : 1;
  const started = encodings.get(encoding) ?? encode(text, encoding, level);
  encodings.set(encoding, started);
  const body = await started;
  bodies.set(encoding, body);
  if (encoding !== 'identity') headers.set('content-encoding', encoding);
  headers.set('content-length', String(body.length));
  return new Response(request.method === 'HEAD' ? null : body, { status, headers });
}

const asAsked = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value);
