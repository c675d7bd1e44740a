export type ResourceLimits = typeof defaultResourceLimits;
export type DecoderLimits = ResourceLimits['decoder'];

/** Limits on connections, memory and time. Tests pass tighter ones to `start`. */
export const defaultResourceLimits = {
  /** The maximum time for a request's headers to arrive; slower ones get a 408. */
  headersTimeoutMs: 20_000,
  /**
   * The maximum time for the whole request. A 10 MB image takes 17 minutes over EDGE (10 KB/s) and almost an hour over GPRS (3
   * KB/s).
   */
  requestTimeoutMs: 3_600_000,
  /** The minimum average rate of a body after a grace period (GPRS sends 1 to 5 KB/s); slower ones get a 408. */
  minBodyBytesPerSecond: 1_000,
  bodyGraceMs: 10_000,
  /** How often the limits above are checked. */
  checkIntervalMs: 5_000,
  /** The maximum time without traffic in either direction, for example if the client does not read its response. */
  idleTimeoutMs: 120_000,
  /** How long a visitor's idle connection stays open. */
  keepAliveMs: 5_000,
  /**
   * Longer than the proxy's own timeout (600 s at Google Cloud). Otherwise, the proxy might use a connection that we are closing.
   */
  proxyKeepAliveMs: 620_000,
  // The next four limits are shared between network addresses (`shares.ts`).
  /** Further connections are closed without a response. */
  maxConnections: 5_000,
  /** Requests in progress on all connections; further ones get a 503. */
  maxConcurrentRequests: 1_000,
  /**
   * Pipelined requests that wait for an earlier response, each in memory with up to 64 KB of its body. Above the limit, the
   * connection is closed. Browsers and common proxies do not pipeline.
   */
  maxPipelinedRequests: 3_000,
  /** Bytes of responses that clients have not read yet. Above the limit, the connections of the oldest responses are closed. */
  maxUnsentBytes: 128 * 1024 * 1024,
  /** Pipelined requests per connection. One more closes the connection, and earlier responses may be lost. */
  maxRequestsPerConnection: 10,
  /**
   * Uncached pages, API reads and posted forms that a network address may have in progress at a time. Further ones wait. Enough to
   * keep two rendering threads busy.
   */
  maxRendersPerAddress: 8,
  /**
   * Requests that start in one iteration of the event loop. If more addresses are waiting, each starts one request. A cached
   * response takes 20 to 50 microseconds, so this is enough to keep a process busy.
   */
  startsPerIteration: 96,
  /** The same for requests that are not answered from the cache. Each takes a millisecond or more. */
  uncachedStartsPerIteration: 8,
  /** Above this, new requests get a 503. No single task takes this long, not even its first run on a slow machine. */
  maxEventLoopDelayMs: 3_000,
  /** URL and headers together; larger ones get a 431. */
  maxHeaderBytes: 16_384,
  /**
   * A request with more headers gets a 431, since parsing and copying a thousand tiny headers takes milliseconds. Apache has the
   * same default.
   */
  maxHeaders: 100,
  /** Upload bodies in memory: 16 of the largest files. Above that, the user with the most bytes gets a 503. */
  maxUploadBytes: 16 * 10 * 1024 * 1024,
  decoder: {
    timeoutMs: 30_000,
    /** The maximum time for one image while a user who has used less time is waiting. */
    sharedTimeoutMs: 5_000,
    /** How long an idle process waits for the next image. */
    idleMs: 10_000,
    /** Maximum resident memory. At 40 megapixels, AVIF took up to 1,075 MB, other formats up to 480 MB. */
    avifRssBytes: 1_200_000_000,
    otherRssBytes: 640_000_000,
  },
  /** A query fails if PostgreSQL stays silent for this long. Queries take milliseconds. */
  databaseTimeoutMs: 20_000,
};
