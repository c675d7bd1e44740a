export type DecoderLimits = {
  /** The maximum time for one image, and the maximum while a user who has used less time is waiting. */
  timeoutMs: number;
  sharedTimeoutMs: number;
  /** How long an idle process waits for the next image. */
  idleMs: number;
  /** Maximum resident memory of a process. At 40 megapixels, AVIF took up to 1,075 MB, other formats up to 480 MB. */
  avifRssBytes: number;
  otherRssBytes: number;
};

/** Limits on connections, memory and time. Tests pass tighter ones to `start`. */
export type ResourceLimits = {
  /** The maximum time for a request's headers, and for the whole request, to arrive; slower ones get a 408. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** The minimum average rate of a body that is still arriving, after a grace period; slower ones get a 408. */
  minBodyBytesPerSecond: number;
  bodyGraceMs: number;
  /** How often the limits above are checked. */
  checkIntervalMs: number;
  /** The maximum time without traffic in either direction, for example if the client does not read its response. */
  idleTimeoutMs: number;
  /**
   * How long an idle connection stays open: a visitor's, and a trusted proxy's. A proxy with a longer timeout might send
   * an order just as we close the connection, and cannot know whether it is safe to retry.
   */
  keepAliveMs: number;
  proxyKeepAliveMs: number;
  /** Further connections are closed without a response. */
  maxConnections: number;
  /**
   * Pipelined requests per connection; further ones get a 503. Node starts all pipelined requests at once, so a thousand
   * of them would delay everyone else by seconds.
   */
  maxRequestsPerConnection: number;
  /** Requests in progress on all connections; further ones get a 503. */
  maxConcurrentRequests: number;
  /** While the event loop is delayed by more than this, new requests get a 503. */
  maxEventLoopDelayMs: number;
  /** URL and headers together; larger ones get a 431. */
  maxHeaderBytes: number;
  /** Upload bodies in memory; above that, an upload of the user with the most bytes gets a 503. */
  maxUploadBytes: number;
  decoder: DecoderLimits;
  /** How long PostgreSQL may stay silent during a query; then the query fails and its connection is closed. */
  databaseTimeoutMs: number;
};

export const defaultResourceLimits: ResourceLimits = {
  headersTimeoutMs: 20_000,
  // A 10 MB image takes 17 minutes over EDGE (10 KB/s) and almost an hour over GPRS (3 KB/s).
  requestTimeoutMs: 3_600_000,
  // GPRS, the slowest network that phones fall back to, sends 1 to 5 KB/s.
  minBodyBytesPerSecond: 1_000,
  bodyGraceMs: 10_000,
  checkIntervalMs: 5_000,
  idleTimeoutMs: 120_000,
  keepAliveMs: 5_000,
  // The timeouts of proxies: nginx and AWS 60 s, Traefik 90 s, Caddy 120 s, Google Cloud 600 s.
  proxyKeepAliveMs: 620_000,
  maxConnections: 5_000,
  maxRequestsPerConnection: 10,
  maxConcurrentRequests: 1_000,
  // No single task takes this long, not even the first of its kind on a slow machine.
  maxEventLoopDelayMs: 3_000,
  maxHeaderBytes: 16_384,
  // 16 files of the maximum size.
  maxUploadBytes: 16 * 10 * 1024 * 1024,
  decoder: {
    timeoutMs: 30_000,
    sharedTimeoutMs: 5_000,
    idleMs: 10_000,
    avifRssBytes: 1_200_000_000,
    otherRssBytes: 640_000_000,
  },
  // Queries take milliseconds. A longer one is waiting for a lock, and its client has given up by then.
  databaseTimeoutMs: 20_000,
};
