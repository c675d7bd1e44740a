export type DecoderLimits = {
  /** The longest that one image may take, and the longest while a user waits who has used less time. */
  timeoutMs: number;
  sharedTimeoutMs: number;
  /** How long an idle process waits for the next image. */
  idleMs: number;
  /** Resident memory of a process. At 40 megapixels, AVIF took up to 1,075 MB, any other format up to 480 MB. */
  avifRssBytes: number;
  otherRssBytes: number;
};

/** How long and how many connections may be; times in milliseconds. Handed to the shop, so that tests can tighten them. */
export type ResourceLimits = {
  /** How long the headers of a request, and the whole request, may take to arrive; slower ones get a 408. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** The minimum average rate of a body that is still arriving, after a grace period; slower ones get a 408. */
  minBodyBytesPerSecond: number;
  bodyGraceMs: number;
  /** How often the four above are checked. */
  checkIntervalMs: number;
  /** How long a connection may stand still in both ways, such as one whose client does not read its answer. */
  idleTimeoutMs: number;
  /**
   * How long a connection may wait for its next request: a visitor's, and a trusted proxy's. A proxy whose own bound is
   * the longer one may send an order at the moment in which we close, and cannot know whether it may send it again.
   */
  keepAliveMs: number;
  proxyKeepAliveMs: number;
  /** One more is closed unanswered: each costs memory, and a process has only so many. */
  maxConnections: number;
  /**
   * Requests that one connection may have sent before their answers; one more is answered 503. Node gives out all
   * that arrive in one piece at once, and a thousand of them would keep everybody else waiting for seconds.
   */
  maxRequestsPerConnection: number;
  /** Requests of all connections that are under way; one more is answered 503. */
  maxConcurrentRequests: number;
  /** How late the event loop may be, in milliseconds; what comes while it is later is answered 503. */
  maxEventLoopDelayMs: number;
  /** Of address and headers together, in bytes; more is answered 431. */
  maxHeaderBytes: number;
  /** Bytes of upload bodies in memory at once; above that, one of the user who holds the most gets a 503. */
  maxUploadBytes: number;
  /** Limits on decoding an image. */
  decoder: DecoderLimits;
  /** How long PostgreSQL may say nothing to a statement; one that waits longer fails, and its connection with it. */
  databaseTimeoutMs: number;
};

export const defaultResourceLimits: ResourceLimits = {
  headersTimeoutMs: 20_000,
  // An image of 10 MB over EDGE (10 KB/s) takes 17 minutes, over GPRS (3 KB/s) almost an hour.
  requestTimeoutMs: 3_600_000,
  // The slowest network that phones fall back to, GPRS, sends 1 to 5 KB/s.
  minBodyBytesPerSecond: 1_000,
  bodyGraceMs: 10_000,
  checkIntervalMs: 5_000,
  idleTimeoutMs: 120_000,
  keepAliveMs: 5_000,
  // nginx and Amazon's keep theirs for 60 s, Traefik 90, Caddy 120, Google's 600.
  proxyKeepAliveMs: 620_000,
  maxConnections: 5_000,
  maxRequestsPerConnection: 10,
  maxConcurrentRequests: 1_000,
  // No one piece of work takes so long, not even the first of its kind on a slow machine.
  maxEventLoopDelayMs: 3_000,
  maxHeaderBytes: 16_384,
  // Room for 16 files of the largest size.
  maxUploadBytes: 16 * 10 * 1024 * 1024,
  decoder: {
    timeoutMs: 30_000,
    sharedTimeoutMs: 5_000,
    idleMs: 10_000,
    avifRssBytes: 1_200_000_000,
    otherRssBytes: 640_000_000,
  },
  // Statements take milliseconds; what takes longer waits for a lock, and whoever asked for it has left by then.
  databaseTimeoutMs: 20_000,
};
