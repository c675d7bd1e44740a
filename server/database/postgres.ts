import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Retry } from './database.ts';
import { isConflict } from './errors.ts';

/** How long a connection may stay silent during a query, while `isEnabled`. */
export type SocketTimeout = { ms: number; isEnabled: boolean };

/** Imports the driver here, because a shop on SQLite never needs it. */
export async function openPool(location: { url: string; schema?: string }, timeout: SocketTimeout) {
  const { default: pg } = await import('pg');
  // Our int8 values, money in minor units and times in milliseconds, fit JavaScript's safe integers.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: location.url,
    max: 10,
    connectionTimeoutMillis: 5000,
    stream: () => openSocket(timeout),
    // Without a socket timeout, TCP keep-alive detects a dead peer after about 15 minutes.
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    ...(location.schema ? { options: `-c search_path=${location.schema}` } : {}),
  });
  // A dead connection is replaced at the next query. Without listeners, its 'error' event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
}

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
