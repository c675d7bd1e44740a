import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import { ShopError } from './errors.ts';
import type { Kept } from './kept.ts';
import type { Readiness } from './readiness.ts';
import { createShedding, type Shedding } from './shedding.ts';
import type { Watch } from './watch.ts';

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** How long and how many connections may be; times in milliseconds. Handed to the shop, so that tests can tighten them. */
export type Bounds = {
  /** Until the headers of a request are there, and until it is there whole; who is slower is answered 408. */
  headersTimeout: number;
  requestTimeout: number;
  /** How often the two above are looked at. */
  connectionsCheckingInterval: number;
  /** How long a connection may stand still in both ways, such as one whose client does not read its answer. */
  idleTimeout: number;
  /**
   * How long a connection may wait for its next request: a visitor's, and a trusted proxy's. A proxy whose own bound is
   * the longer one may send an order at the moment in which we close, and cannot know whether it may send it again.
   */
  visitorWaits: number;
  proxyWaits: number;
  /** One more is closed unanswered: each costs memory, and a process has only so many. */
  maxConnections: number;
  /**
   * Requests that one connection may have sent before their answers; one more is answered 503. Node gives out all
   * that arrive in one piece at once, and a thousand of them would keep everybody else waiting for seconds.
   */
  requestsAtOnce: number;
  /** Requests of all connections that are under way; one more is answered 503. */
  requestsUnderWay: number;
  /** How late the event loop may be, in milliseconds; what comes while it is later is answered 503. */
  loopLate: number;
  /** Of address and headers together, in bytes; more is answered 431. */
  maxHeaderSize: number;
};

export const bounds: Bounds = {
  headersTimeout: 20_000,
  // A picture of 10 MB over a poor line, and its turn to be read.
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  idleTimeout: 120_000,
  visitorWaits: 5_000,
  // nginx and Amazon's keep theirs for 60 s, Traefik 90, Caddy 120, Google's 600.
  proxyWaits: 620_000,
  maxConnections: 5_000,
  requestsAtOnce: 10,
  requestsUnderWay: 1_000,
  // No one piece of work takes so long, not even the first of its kind on a slow machine.
  loopLate: 3_000,
  maxHeaderSize: 16_384,
};

type Parts = {
  app: App;
  kept: Kept;
  readiness: Readiness;
  watch: Watch;
  /** Answers paths that are not the app's own: the stand-in for Google is a Node server. */
  direct: { prefix: string; listener: Listener } | undefined;
};

/**
 * Opens the port. Throws a sentence where it cannot be had; the function that it gives tells the balancers that this
 * process stops, then takes no more requests and waits for those that are under way.
 */
export async function listen(
  config: Config,
  bounds: Bounds,
  { app, kept, readiness, watch, direct }: Parts,
): Promise<() => Promise<void>> {
  const shedding = createShedding({ most: bounds.requestsUnderWay, late: bounds.loopLate });
  const answer = getRequestListener(
    (request, { incoming, outgoing }) => {
      // Whoever watches over the shop is always answered: one that is busy is not to be started anew.
      const refusal = watched.has(incoming.url ?? '') ? undefined : shedding.judge();
      if (!refusal) return app.fetch(request, incoming.socket.remoteAddress);
      // Who would ask again at once has to come again for it.
      if ('shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false;
      return app.refuse(request, refusal);
    },
    { overrideGlobalObjects: true },
  );
  const refuse = getRequestListener((request) => app.refuse(request, closing()), {
    overrideGlobalObjects: true,
  });
  const isCrowded = createCrowd(bounds.requestsAtOnce);
  let stopping = false;
  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (isCrowded(incoming, outgoing)) {
      outgoing.writeHead(503, { 'retry-after': '1', connection: 'close' }).end();
      return;
    }
    shedding.begin(outgoing);
    outgoing.once('close', () => {
      shedding.end(outgoing);
      // It had begun before the shop stopped, and would be kept alive for seconds.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    // HAProxy's own checks name no host.
    if (watched.has(incoming.url ?? '')) incoming.headers.host ??= 'nobody.invalid';
    if (direct && incoming.url?.startsWith(direct.prefix)) direct.listener(incoming, outgoing);
    else void answer(incoming, outgoing);
  };
  const server = createServer(bounds, (incoming, outgoing) => {
    const began = performance.now();
    // It came over a connection that was still open when the shop stopped.
    if (!server.listening) {
      outgoing.shouldKeepAlive = false;
      watch.request(incoming, outgoing, began, () => void refuse(incoming, outgoing));
      return;
    }
    // The next one is to go to another process.
    if (stopping) outgoing.shouldKeepAlive = false;
    const sent = kept.send(incoming, outgoing);
    if (sent) watch.kept(incoming, outgoing, sent, began);
    else watch.request(incoming, outgoing, began, () => begin(incoming, outgoing));
  });
  server.setTimeout(bounds.idleTimeout);
  server.keepAliveTimeout = config.trustedProxies.length > 0 ? bounds.proxyWaits : bounds.visitorWaits;
  server.maxConnections = bounds.maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new ShopError('bad_setting', refusal(config, cause.code ?? ''), { cause });
  });
  return async () => {
    stopping = true;
    shedding.closeConnections();
    await readiness.stop();
    await stop(server, shedding);
  };
}

/** What whoever watches over the shop asks. */
const watched = new Set(['/healthz', '/readyz', '/metrics']);

const closing = () =>
  new ShopError('unavailable', 'The shop is closing for a moment. Try again shortly.', { retryAfter: 2 });

/** Counts the requests under way on each connection; whether this one is more than `most`. */
function createCrowd(most: number): (incoming: IncomingMessage, outgoing: ServerResponse) => boolean {
  const underWay = new WeakMap<Socket, number>();
  return ({ socket }, outgoing) => {
    const count = underWay.get(socket) ?? 0;
    if (count >= most) return true;
    underWay.set(socket, count + 1);
    outgoing.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    return false;
  };
}

function refusal({ port, host }: Config, code: string): string {
  if (code === 'EADDRINUSE')
    return `PORT is ${port}, but another program listens there on ${host}: stop it, or set another PORT.`;
  if (code === 'EACCES') return `PORT is ${port}, but this user may not listen there: set a PORT above 1023.`;
  return `HOST is ${JSON.stringify(host)}, but this machine cannot listen there (${code}).`;
}

/** Nobody new can connect, and what is under way ends its connection with its answer. */
async function stop(server: Server, shedding: Shedding): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Who has not finished in ten seconds will not.
  const patience = setTimeout(() => server.closeAllConnections(), 10_000);
  await closed;
  clearTimeout(patience);
  shedding.stop();
}
