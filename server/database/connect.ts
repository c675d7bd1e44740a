import { Socket } from 'node:net';
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import type { DatabaseLocation } from '../config/config.ts';
import { createBusyTimeout, createQueryRetry, type DatabaseObserver, wrapConnection } from './driver.ts';
import type { Engine } from './schema.ts';
import { openSqlite } from './sqlite.ts';

/** How long a PostgreSQL connection may stay silent during a query, in milliseconds, while `isEnabled`. */
export type SocketTimeout = { ms: number; isEnabled: boolean };

const poolSize = 10;

/** Opens a Kysely instance, which the caller ends with `destroy()`. */
export function connect<Schema>(
  location: DatabaseLocation,
  onQuery?: DatabaseObserver['onQuery'],
  timeout: SocketTimeout = { ms: 0, isEnabled: false },
): { db: Kysely<Schema>; engine: Engine } {
  if ('file' in location) {
    return {
      db: new Kysely<Schema>({
        dialect: new SqliteDialect({
          database: openSqlite(location.file),
          onCreateConnection: async (connection) => wrapConnection(connection, createBusyTimeout(), onQuery),
        }),
      }),
      engine: 'sqlite',
    };
  }
  return {
    db: new Kysely<Schema>({
      dialect: new PostgresDialect({
        pool: () => openPool(location, timeout),
        onCreateConnection: async (connection) => wrapConnection(connection, createQueryRetry(), onQuery),
      }),
    }),
    engine: 'postgres',
  };
}

/** Imports the driver here, because a shop on SQLite never needs it. */
async function openPool(location: { url: string; schema?: string }, timeout: SocketTimeout) {
  const { default: pg } = await import('pg');
  // Our int8 values, money in minor units and times in milliseconds, fit JavaScript's safe integers.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: location.url,
    max: poolSize,
    connectionTimeoutMillis: 5000,
    stream: () => openSocket(timeout),
    // Without a socket timeout, TCP keep-alive detects a dead peer after about 15 minutes.
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    ...(location.schema ? { options: `-c search_path=${location.schema}` } : {}),
  });
  // A connection that dies fails its query and is replaced at the next one. Without listeners, its 'error' event
  // would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
}

/**
 * A machine that vanishes doesn't close its connections: without a timeout, queries would wait forever. Idle
 * connections are not affected, because the pool closes them after ten seconds.
 */
function openSocket(timeout: SocketTimeout): Socket {
  const socket = new Socket();
  return socket.setTimeout(timeout.ms, () => {
    if (!timeout.isEnabled) return;
    socket.destroy(Object.assign(new Error('The database did not respond.'), { code: 'ETIMEDOUT' }));
  });
}
