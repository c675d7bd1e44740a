import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { App, RouteName } from '../visit.ts';
import { createLoadShedder } from './load-shedding.ts';
import { createPipeliningLimit } from './pipelining.ts';
import type { Readiness } from './readiness.ts';
import { detectSlowBodies } from './slow-bodies.ts';

/** Counts and traces requests. `began` is a time of `performance.now()`. */
export type RequestObserver = {
  /** A response came from the cache. Called 50,000 times per second. */
  countCacheHit: (incoming: IncomingMessage, outgoing: ServerResponse, name: RouteName, began: number) => void;
  /** Runs `answer`, which responds now or later. */
  observe: (incoming: IncomingMessage, outgoing: ServerResponse, began: number, answer: () => void) => void;
};

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

type Parts = {
  app: App;
  responseCache: ResponseCache;
  readiness: Readiness;
  observer: RequestObserver;
  /** Answers paths that are not the app's own: the stand-in for Google is a Node server. */
  direct: { prefix: string; listener: Listener } | undefined;
};

/**
 * Opens the port, then runs `beforeServing`; requests that arrive meanwhile wait for it. Throws one sentence if the port
 * is not available. The returned function fails `/readyz`, serves on for `stopDelaySeconds`, then accepts no more requests
 * and waits for those in progress.
 */
export async function listen(
  config: Config,
  bounds: ResourceLimits,
  { app, responseCache, readiness, observer, direct }: Parts,
  beforeServing: () => Promise<void> = async () => undefined,
): Promise<() => Promise<void>> {
  const shedding = createLoadShedder({ most: bounds.maxConcurrentRequests, late: bounds.maxEventLoopDelayMs });
  const bodies = detectSlowBodies(bounds);
  const answer = getRequestListener(
    (request, { incoming, outgoing }) => {
      // Whoever watches over the shop is always answered: one that is busy is not to be started anew.
      const refusal = watched.has(incoming.url ?? '') ? undefined : shedding.judge();
      const refuse = (error: ShopError): Response => {
        // Close the connection: a body that is still arriving is not read to its end.
        if ('shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false;
        return app.refuse(request, error);
      };
      if (refusal) return refuse(refusal);
      const answered = app.fetch(request, incoming.socket.remoteAddress);
      const slow = bodies.watch(incoming, outgoing);
      return slow ? Promise.race([answered, slow.then(refuse)]) : answered;
    },
    { overrideGlobalObjects: true },
  );
  const refuseWith = (error: () => ShopError) =>
    getRequestListener((request) => app.refuse(request, error()), { overrideGlobalObjects: true });
  const refuse = refuseWith(closing);
  const refuseHosts = refuseWith(
    () => new ShopError('unreadable', 'The request has more than one Host header.'),
  );
  const isCrowded = createPipeliningLimit(bounds.maxRequestsPerConnection);
  const underWay = new Set<Promise<unknown>>();
  const noteWork = (work: Promise<unknown>): void => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };
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
    else noteWork(answer(incoming, outgoing));
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const began = performance.now();
    if (hasTwoHosts(incoming)) {
      outgoing.shouldKeepAlive = false;
      observer.observe(incoming, outgoing, began, () => void refuseHosts(incoming, outgoing));
      return;
    }
    // It came over a connection that was still open when the shop stopped.
    if (!server.listening) {
      outgoing.shouldKeepAlive = false;
      observer.observe(incoming, outgoing, began, () => void refuse(incoming, outgoing));
      return;
    }
    // The next one is to go to another process.
    if (stopping) outgoing.shouldKeepAlive = false;
    const sent = responseCache.sendCached(incoming, outgoing);
    if (sent) observer.countCacheHit(incoming, outgoing, sent, began);
    else observer.observe(incoming, outgoing, began, () => begin(incoming, outgoing));
  };
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  const server = createServer(bounds, (incoming, outgoing) => {
    if (isReady) handle(incoming, outgoing);
    else void ready.promise.then(() => handle(incoming, outgoing));
  });
  server.setTimeout(bounds.idleTimeoutMs);
  server.keepAliveTimeout = config.trustedProxies.length > 0 ? bounds.proxyKeepAliveMs : bounds.keepAliveMs;
  server.maxConnections = bounds.maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new ShopError('bad_setting', refusal(config, cause.code ?? ''), { cause });
  });
  try {
    await beforeServing();
  } catch (error) {
    server.close();
    server.closeAllConnections();
    shedding.stop();
    throw error;
  }
  isReady = true;
  ready.resolve();
  return async () => {
    stopping = true;
    shedding.closeConnections();
    readiness.startStopping();
    // Serve on until the load balancers have seen /readyz fail.
    if (config.stopDelaySeconds > 0) await delay(config.stopDelaySeconds * 1000);
    await stop(server, underWay);
    shedding.stop();
    bodies.stop();
  };
}

/** What whoever watches over the shop asks. */
const watched = new Set(['/healthz', '/readyz', '/metrics']);

/** Node reads the first, a proxy in front may have read the other (RFC 9112, 3.2). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length > 1;
}

const closing = () =>
  new ShopError('unavailable', 'The shop is closing for a moment. Try again shortly.', { retryAfter: 2 });

function refusal({ port, host }: Config, code: string): string {
  if (code === 'EADDRINUSE')
    return `PORT is ${port}, but another program listens there on ${host}: stop it, or set another PORT.`;
  if (code === 'EACCES') return `PORT is ${port}, but this user may not listen there: set a PORT above 1023.`;
  return `HOST is ${JSON.stringify(host)}, but this machine cannot listen there (${code}).`;
}

/** Nobody new can connect, and what is under way ends its connection with its answer, or without its client. */
async function stop(server: Server, underWay: ReadonlySet<Promise<unknown>>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Who has not finished in ten seconds will not.
  const ended = Promise.withResolvers<void>();
  const patience = setTimeout(() => {
    server.closeAllConnections();
    ended.resolve();
  }, 10_000);
  await Promise.race([closed.then(() => Promise.all(underWay)), ended.promise]);
  clearTimeout(patience);
}
