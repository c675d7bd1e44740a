import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { ShopError } from '../../../contract/errors.ts';
import type { Config } from '../../config/config.ts';
import type { ResourceLimits } from '../../config/resource-limits.ts';
import { createAddressReader } from '../origin.ts';
import { compressedBody } from '../request.ts';
import type { App, RouteName } from '../request-context.ts';
import type { ResponseCache } from '../response-cache.ts';
import { createAcceptGate } from './accept-first.ts';
import { hasBody, limitBodyChunks } from './body-chunks.ts';
import { toListenError } from './free-port.ts';
import { createLoadShedder } from './load-shedding.ts';
import { createPipelines } from './pipelines.ts';
import type { Readiness } from './readiness.ts';
import { createShares } from './shares.ts';
import { detectSlowBodies } from './slow-bodies.ts';
import { limitUnsentBytes } from './slow-readers.ts';
import { createStartTurns, type StartTurns } from './start-turns.ts';

/** Counts and traces requests. `began` is a `performance.now()` time. */
export type RequestObserver = {
  /** Called for each response from the cache, up to 50,000 times per second. */
  countCacheHit(incoming: IncomingMessage, outgoing: ServerResponse, name: RouteName, began: number): void;
  /** Observes a request while `answer` responds to it. */
  observe(incoming: IncomingMessage, outgoing: ServerResponse, began: number, answer: () => void): void;
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
 * Opens the port, then runs `beforeServing`; requests that arrive meanwhile wait for it. Throws `bad_setting` with one
 * sentence if the port is not available. The returned function fails `/readyz`, keeps serving for `stopDelaySeconds`, then
 * closes the port and waits for the requests in progress.
 */
export async function listen(
  config: Config,
  limits: ResourceLimits,
  { app, responseCache, readiness, observer, mounted }: Parts,
  beforeServing: () => Promise<void> = async () => undefined,
): Promise<() => Promise<void>> {
  const { readAddress, isTrusted } = createAddressReader(config.trustedProxies);
  const readClient = ({ socket, headers }: IncomingMessage) =>
    readAddress(socket.remoteAddress, headers['x-forwarded-for']?.toString());
  const takeTurn = (turns: StartTurns, incoming: IncomingMessage, start: () => void): void =>
    turns.take(
      () => readClient(incoming),
      // Don't start if the socket is gone: the response has already closed, so nothing would release the place of the request.
      () => incoming.socket.destroyed || start(),
    );
  const connections = createShares(limits.maxConnections);
  const pipelines = createPipelines(limits, readClient);
  const watchUnsent = limitUnsentBytes(limits, readClient);
  const loadShedder = createLoadShedder(limits);
  const slowBodies = detectSlowBodies(limits);
  const acceptGate = createAcceptGate();
  const { pass } = acceptGate;
  const turns = createStartTurns({ maxPerIteration: limits.startsPerIteration, pass });
  const uncachedTurns = createStartTurns({ maxPerIteration: limits.uncachedStartsPerIteration, pass });
  const pending = new Set<Promise<unknown>>();
  let stopping = false;

  const answer = getRequestListener(
    (request, { incoming, outgoing }) => {
      const response = app.fetch(request, incoming.socket.remoteAddress);
      const slow = slowBodies.watch(incoming, outgoing);
      if (!slow) return response;
      const rejection = slow.then((error) => {
        // Close the connection instead of reading the rest of the body.
        if ('shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false;
        return app.reject(request, error);
      });
      return Promise.race([response, rejection]);
    },
    { overrideGlobalObjects: true },
  );
  const reject = (incoming: IncomingMessage, outgoing: ServerResponse, error: ShopError): void => {
    outgoing.shouldKeepAlive = false;
    const send = getRequestListener((request) => app.reject(request, error), { overrideGlobalObjects: true });
    void send(incoming, outgoing);
  };
  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    loadShedder.begin(outgoing);
    outgoing.once('close', () => {
      // Otherwise a connection from before the stop would be kept alive for seconds.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    const { url = '', headers } = incoming;
    const isMonitoring = monitoringPaths.has(url);
    // HAProxy's health checks send no Host.
    if (isMonitoring) headers.host ??= 'nobody.invalid';
    // Monitoring requests always pass, so that a busy process is not restarted.
    const overload = isMonitoring ? undefined : loadShedder.takePlace(outgoing, readClient(incoming));
    if (overload) {
      reject(incoming, outgoing, overload);
      return;
    }
    if (mounted && url.startsWith(mounted.prefix)) {
      mounted.listener(incoming, outgoing);
      return;
    }
    const answered: Promise<unknown> = answer(incoming, outgoing).finally(() => {
      pending.delete(answered);
      watchUnsent(incoming, outgoing);
    });
    pending.add(answered);
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const began = performance.now();
    const error = server.listening
      ? (checkHostCount(incoming) ?? checkTransferEncoding(incoming))
      : stoppingError();
    // The client's next request should go to another process.
    if (stopping) outgoing.shouldKeepAlive = false;
    const routeName = error ? undefined : responseCache.sendCached(incoming, outgoing);
    if (routeName) {
      observer.countCacheHit(incoming, outgoing, routeName, began);
      watchUnsent(incoming, outgoing);
    } else
      takeTurn(uncachedTurns, incoming, () =>
        observer.observe(incoming, outgoing, began, () =>
          error ? reject(incoming, outgoing, error) : begin(incoming, outgoing),
        ),
      );
  };

  const ready = Promise.withResolvers<void>();
  let isReady = false;
  const serverOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: config.trustedProxies.length > 0 ? limits.proxyKeepAliveMs : limits.keepAliveMs,
    maxHeaderSize: limits.maxHeaderBytes,
  };
  const schedule = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const start = () => takeTurn(turns, incoming, () => handle(incoming, outgoing));
    if (isReady) pass(start);
    else void ready.promise.then(start);
  };
  const receive = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (hasBody(incoming)) limitBodyChunks(incoming);
    // A response without a socket waits for an earlier one.
    if (outgoing.socket) schedule(incoming, outgoing);
    else pipelines.wait(incoming, outgoing, schedule);
  };
  const server = createServer(serverOptions, receive);
  // An unknown `Expect` is ignored (RFC 9110, 10.1.1). Node would respond with 417 at once, without the limits below.
  server.on('checkExpectation', receive);
  server.on('connection', (socket) => {
    acceptGate.accept();
    const { remoteAddress } = socket;
    // A proxy's connections carry the requests of many clients.
    if (isTrusted(remoteAddress)) return;
    const release = connections.take(readAddress(remoteAddress));
    if (release) socket.once('close', release);
    else socket.destroy();
  });
  server.setTimeout(limits.idleTimeoutMs);
  server.maxHeadersCount = limits.maxHeaders;
  server.maxConnections = limits.maxConnections;
  server.once('close', () => {
    loadShedder.stop();
    slowBodies.stop();
  });
  await once(server.listen(config.port, config.host), 'listening').catch((cause: unknown) => {
    throw toListenError(config, cause);
  });
  try {
    await beforeServing();
  } catch (error) {
    server.close();
    server.closeAllConnections();
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
  };
}

const monitoringPaths = new Set(['/healthz', '/readyz', '/metrics']);

/** Rejects a second Host header: Node uses the first one, but a proxy may have used the other (RFC 9112, 3.2). */
function checkHostCount({ rawHeaders }: IncomingMessage): ShopError | undefined {
  let count = 0;
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count += 1;
  return count > 1 ? new ShopError('unreadable', 'The request has more than one Host header.') : undefined;
}

/** Rejects a compressed body, because nothing decompresses it. `readBodyStart` rejects a body with a `Content-Encoding`. */
function checkTransferEncoding({ headers }: IncomingMessage): ShopError | undefined {
  const encoding = headers['transfer-encoding'];
  return encoding === undefined || /^chunked$/i.test(encoding) ? undefined : compressedBody();
}

/** For a request on a connection that was still open when the server stopped. */
const stoppingError = () =>
  new ShopError('unavailable', 'The shop is restarting. Try again shortly.', { retryAfter: 2 });

const stopTimeoutMs = 10_000;

/** Stops accepting connections and waits up to ten seconds for pending requests. */
async function stop(server: Server, pending: ReadonlySet<Promise<unknown>>): Promise<void> {
  const closed = once(server.close(), 'close');
  const timedOut = Promise.withResolvers<void>();
  const timer = setTimeout(timedOut.resolve, stopTimeoutMs);
  await Promise.race([closed.then(() => Promise.all(pending)), timedOut.promise]);
  clearTimeout(timer);
  server.closeAllConnections();
}
