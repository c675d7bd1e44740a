import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import type { App, RouteName } from '../request-context.ts';
import type { ResponseCache } from '../response-cache.ts';
import { createLoadShedder } from './load-shedding.ts';
import { createPipeliningLimit } from './pipelining.ts';
import type { Readiness } from './readiness.ts';
import { detectSlowBodies } from './slow-bodies.ts';

/** Counts and traces requests. `began` is a `performance.now()` time. */
export type RequestObserver = {
  /** Called for each response from the cache, up to 50,000 times per second. */
  countCacheHit: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    name: RouteName,
    began: number,
  ) => void;
  /** Observes a request while `answer` responds to it. */
  observe: (incoming: IncomingMessage, outgoing: ServerResponse, began: number, answer: () => void) => void;
};

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

type Parts = {
  app: App;
  responseCache: ResponseCache;
  readiness: Readiness;
  observer: RequestObserver;
  /** Handles paths outside the app: the stand-in for Google is a Node request listener. */
  mounted: { prefix: string; listener: Listener } | undefined;
};

/**
 * Opens the port, then runs `beforeServing`; requests that arrive meanwhile wait for it. Throws one sentence if the port
 * is not available. The returned function fails `/readyz`, keeps serving for `stopDelaySeconds`, then closes the port and
 * waits for the requests in progress.
 */
export async function listen(
  config: Config,
  limits: ResourceLimits,
  { app, responseCache, readiness, observer, mounted }: Parts,
  beforeServing: () => Promise<void> = async () => undefined,
): Promise<() => Promise<void>> {
  const loadShedder = createLoadShedder(limits);
  const slowBodies = detectSlowBodies(limits);
  const answer = getRequestListener(
    (request, { incoming, outgoing }) => {
      // Monitoring requests always pass, so that a busy process is not restarted.
      const overload = monitoringPaths.has(incoming.url ?? '') ? undefined : loadShedder.check();
      const refuse = (error: ShopError): Response => {
        // Close the connection instead of reading the rest of the body.
        if ('shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false;
        return app.refuse(request, error);
      };
      if (overload) return refuse(overload);
      const response = app.fetch(request, incoming.socket.remoteAddress);
      const slow = slowBodies.watch(incoming, outgoing);
      return slow ? Promise.race([response, slow.then(refuse)]) : response;
    },
    { overrideGlobalObjects: true },
  );
  const refuseWith = (error: () => ShopError) =>
    getRequestListener((request) => app.refuse(request, error()), { overrideGlobalObjects: true });
  const refuseStopping = refuseWith(stoppingError);
  const refuseTwoHosts = refuseWith(
    () => new ShopError('unreadable', 'The request has more than one Host header.'),
  );
  const exceedsPipelining = createPipeliningLimit(limits.maxRequestsPerConnection);
  const pending = new Set<Promise<unknown>>();
  const trackPending = (work: Promise<unknown>): void => {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };
  let stopping = false;
  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (exceedsPipelining(incoming, outgoing)) {
      outgoing.writeHead(503, { 'retry-after': '1', connection: 'close' }).end();
      return;
    }
    loadShedder.begin(outgoing);
    outgoing.once('close', () => {
      loadShedder.end(outgoing);
      // Otherwise a connection from before the stop would be kept alive for seconds.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    // HAProxy's health checks send no Host.
    if (monitoringPaths.has(incoming.url ?? '')) incoming.headers.host ??= 'nobody.invalid';
    if (mounted && incoming.url?.startsWith(mounted.prefix)) mounted.listener(incoming, outgoing);
    else trackPending(answer(incoming, outgoing));
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const began = performance.now();
    if (hasTwoHosts(incoming)) {
      outgoing.shouldKeepAlive = false;
      observer.observe(incoming, outgoing, began, () => void refuseTwoHosts(incoming, outgoing));
      return;
    }
    // The connection was still open when the server stopped.
    if (!server.listening) {
      outgoing.shouldKeepAlive = false;
      observer.observe(incoming, outgoing, began, () => void refuseStopping(incoming, outgoing));
      return;
    }
    // The client's next request should go to another process.
    if (stopping) outgoing.shouldKeepAlive = false;
    const routeName = responseCache.sendCached(incoming, outgoing);
    if (routeName) observer.countCacheHit(incoming, outgoing, routeName, began);
    else observer.observe(incoming, outgoing, began, () => begin(incoming, outgoing));
  };
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  const serverOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
  };
  const server = createServer(serverOptions, (incoming, outgoing) => {
    if (isReady) handle(incoming, outgoing);
    else void ready.promise.then(() => handle(incoming, outgoing));
  });
  server.setTimeout(limits.idleTimeoutMs);
  server.keepAliveTimeout = config.trustedProxies.length > 0 ? limits.proxyKeepAliveMs : limits.keepAliveMs;
  server.maxConnections = limits.maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new ShopError('bad_setting', describeListenError(config, cause.code ?? ''), { cause });
  });
  try {
    await beforeServing();
  } catch (error) {
    server.close();
    server.closeAllConnections();
    loadShedder.stop();
    throw error;
  }
  isReady = true;
  ready.resolve();
  return async () => {
    stopping = true;
    loadShedder.closeConnections();
    readiness.startStopping();
    // Keep serving until the load balancers have seen /readyz fail.
    if (config.stopDelaySeconds > 0) await delay(config.stopDelaySeconds * 1000);
    await stop(server, pending);
    loadShedder.stop();
    slowBodies.stop();
  };
}

/** Requested by load balancers and monitoring. */
const monitoringPaths = new Set(['/healthz', '/readyz', '/metrics']);

/** Node uses the first one, but a proxy may have used the other (RFC 9112, 3.2). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length > 1;
}

const stoppingError = () =>
  new ShopError('unavailable', 'The shop is closing for a moment. Try again shortly.', { retryAfter: 2 });

function describeListenError({ port, host }: Config, code: string): string {
  if (code === 'EADDRINUSE')
    return `PORT is ${port}, but another program listens there on ${host}: stop it, or set another PORT.`;
  if (code === 'EACCES') return `PORT is ${port}, but this user may not listen there: set a PORT above 1023.`;
  return `HOST is ${JSON.stringify(host)}, but this machine cannot listen there (${code}).`;
}

const stopTimeoutMs = 10_000;

/** Stops accepting connections and waits up to ten seconds for pending requests. */
async function stop(server: Server, pending: ReadonlySet<Promise<unknown>>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timedOut = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    server.closeAllConnections();
    timedOut.resolve();
  }, stopTimeoutMs);
  await Promise.race([closed.then(() => Promise.all(pending)), timedOut.promise]);
  clearTimeout(timer);
}
