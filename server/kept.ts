import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from './config.ts';
import { chooseEncoding, type Encoding, encode, isKnown } from './encoding.ts';
import type { Name } from './metrics/names.ts';
import { hostsOf } from './origin.ts';
import { secure } from './security-headers.ts';

type Body = Uint8Array<ArrayBuffer>;
/** One answer as it goes out, but for its encoding, and what it answers. */
type Entry = {
  name: Name;
  headers: Headers;
  wire: string[];
  etag: string;
  text: string;
  bodies: Map<Encoding, Body>;
};

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
  const making = new Map<string, Promise<Entry | undefined>>();
  let characters = 0;
  let generation = 0;

  /**
   * The answer to a GET or HEAD that carries nobody's name, kept or made now. What `make` gives is kept where it is
   * 200 and says `public`, unless `keep` is false; whoever asks while it is being made waits for that one.
   */
  async function answer(request: Request, key: string, make: () => Promise<Response>, keep = true) {
    // Not `await making.get(key)`: of many that arrive in one piece, each would pass here before the first is noted.
    const underWay = making.get(key);
    const found = entries.get(key) ?? (underWay && (await underWay));
    if (found) return toResponse(request, found);
    const started = generation;
    const made = make().then(async (response) => {
      if (response.status !== 200 || !response.headers.get('cache-control')?.startsWith('public'))
        return response;
      const entry = await read(response, key);
      // Something changed while it was made: the next visitor gets a newer one.
      if (keep && started === generation) put(key, entry);
      return entry;
    });
    if (keep) {
      const shared = made.then(
        (entry) => (entry instanceof Response ? undefined : entry),
        () => undefined,
      );
      making.set(key, shared);
      void shared.then(() => making.get(key) === shared && making.delete(key));
    }
    const entry = await made;
    return entry instanceof Response ? entry : toResponse(request, entry);
  }

  async function read(response: Response, key: string): Promise<Entry> {
    const text = await response.text();
    const headers = new Headers(response.headers);
    // Weak: it is one for all encodings.
    const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
    headers.set('etag', etag);
    const sent = new Headers(headers);
    secure(config, sent);
    const name = nameOf('GET', key);
    return { name, headers, wire: [...sent].flat(), etag, text, bodies: new Map() };
  }

  function put(key: string, entry: Entry): void {
    entries.set(key, entry);
    characters += entry.text.length;
    // Addresses without end can be asked for: the oldest goes.
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
      making.clear();
    },
  };
}

async function toResponse(request: Request, entry: Entry): Promise<Response> {
  const headers = new Headers(entry.headers);
  if (isKnown(request.headers.get('if-none-match'), entry.etag))
    return new Response(null, { status: 304, headers });
  const encoding = chooseEncoding(request.headers.get('accept-encoding'));
  // 6 of 11: within a tenth of the smallest, which takes sixty times as long after each change.
  const body = entry.bodies.get(encoding) ?? (await encode(entry.text, encoding, 6));
  entry.bodies.set(encoding, body);
  if (encoding !== 'identity') headers.set('content-encoding', encoding);
  headers.set('content-length', String(body.length));
  return new Response(request.method === 'HEAD' ? null : body, { headers });
}

const asAsked = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value);
