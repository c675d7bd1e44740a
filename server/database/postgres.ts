import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { listServerUrls } from '../config/database-url.ts';
import { createConnectionTurns } from './connection-turns.ts';
import type { Retry } from './database.ts';
import { codeOf, isConflict, isReadOnlyServer, isUnavailable } from './errors.ts';
import { prepareStatements } from './prepared-statements.ts';
import {
  connectTimeoutMs,
  describeReadOnly,
  listPrimaries,
  readServer,
  rejectOldTimeline,
} from './primaries.ts';

/** How long a connection may stay silent during a query, while `isEnabled`. */
export type SocketTimeout = { ms: number; isEnabled: boolean };

const maxPoolConnections = 10;
/** Enough for the reads of a page. A user's writes lock the user's row, so they run one after another anyway. */
const maxConnectionsPerUser = 3;

/**
 * Connects only to servers that accept writes, and never to a server on an older timeline than one seen before. With several
 * hosts, it first tries the server on the newest timeline, and later the one that worked last. The driver is imported here,
 * because a shop on SQLite never needs it.
 */
export async function openPool(location: { url: string }, timeout: SocketTimeout) {
  const { default: pg } = await import('pg');
  // Our int8 values, money in minor units and times in milliseconds, fit JavaScript's safe integers.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const urls = listServerUrls(location.url);
  const [newest] = urls.length > 1 ? await listPrimaries(location.url) : [];
  let newestTimeline = newest?.timeline ?? 0;
  const pool = new pg.Pool({
    connectionString: newest?.url ?? urls[0],
    max: maxPoolConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    async onConnect(client) {
      const { timeline, pid } = await readServer(client);
      rejectOldTimeline(client, timeline, newestTimeline);
      newestTimeline = timeline;
      prepareStatements(client, pid);
    },
    stream: () => openSocket(timeout),
    // Without a socket timeout, TCP keep-alive detects a dead peer after about 15 minutes.
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
  });
  // A dead connection is replaced at the next query. Without listeners, its 'error' event would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // Each connection is checked once, but a server can become read-only later, or a proxy can switch to another server.
    client.connection.on('errorMessage', (error: Error) => {
      if (!isReadOnlyServer(error)) return;
      error.message = describeReadOnly(client);
      void client.end();
    });
  });
  pool.on('error', () => undefined);
  const takeTurn = createConnectionTurns(maxPoolConnections, maxConnectionsPerUser, connectTimeoutMs);
  return {
    Client: pg.Client,
    options: pool.options,
    async connect() {
      const endTurn = await takeTurn();
      try {
        const client = await connectToFirst(urls, pool);
        // The pool sets `release` again for each use.
        const release = client.release.bind(client);
        client.release = (error) => {
          release(error);
          endTurn();
        };
        return client;
      } catch (error) {
        endTurn();
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

/**
 * Connects to the first server that is available, starting with the current one. The pool opens its next connections to the URL
 * in its options.
 */
async function connectToFirst(urls: readonly string[], pool: Pool): Promise<PoolClient> {
  const failures: string[] = [];
  let cause: unknown;
  for (;;) {
    const url = pool.options.connectionString ?? '';
    try {
      return await pool.connect();
    } catch (error) {
      if (urls.length === 1 || !isUnavailable(error) || isPoolBusy(error)) throw error;
      failures.push(describeFailure(error, new URL(url).host));
      // If one server is read-only and another is down, report the read-only one.
      if (!isReadOnlyServer(cause)) cause = error;
      // Move to the next server, unless a concurrent call already has.
      if (pool.options.connectionString === url)
        pool.options.connectionString = urls[(urls.indexOf(url) + 1) % urls.length];
      if (failures.length === urls.length)
        throw Object.assign(new Error(failures.join('; '), { cause }), { code: codeOf(cause) });
    }
  }
}

function describeFailure(error: unknown, host: string): string {
  const message = (error instanceof Error && error.message) || codeOf(error);
  return message.includes(host) ? message : `${message} (${host})`;
}

/** Whether all connections are in use, which is not a fault of the server. */
const isPoolBusy = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

/** A machine that vanishes doesn't close its connections. The pool closes idle ones after ten seconds. */
function openSocket(timeout: SocketTimeout): Socket {
  const socket = new Socket();
  return socket.setTimeout(timeout.ms, () => {
    if (!timeout.isEnabled) return;
    socket.destroy(Object.assign(new Error('The database did not respond.'), { code: 'ETIMEDOUT' }));
  });
}

/** Retries a query after a conflict, unless it is part of a transaction, which must be retried as a whole. */
export function createQueryRetry(): Retry {
  let inTransaction = false;
  return (query, run) => {
    if (/^(begin|start transaction)/.test(query.sql)) inTransaction = true;
    const canRetry = !inTransaction;
    if (/^(commit|rollback$)/.test(query.sql)) inTransaction = false;
    return canRetry ? retryConflicts(run) : run();
  };
}

const maxAttempts = 20;
const maxDelayMs = 250;

/** Retries `work` after a conflict, with exponential backoff and jitter. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts || !isConflict(error)) throw error;
    }
    await setTimeout(Math.random() * Math.min(maxDelayMs, 2 ** attempt));
  }
}
