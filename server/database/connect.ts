import { Socket } from 'node:net';
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import { makePersistent } from './again.ts';
import { type Observer, observeStatements } from './observed.ts';
import { makePatient } from './patience.ts';
import { openSqlite } from './sqlite.ts';

export type Engine = 'sqlite' | 'postgres';

/** Where a database is: a file of SQLite, or a PostgreSQL address and the schema to use in it. */
export type Place = { file: string } | { url: string; schema?: string };

/** How long PostgreSQL may say nothing to a statement, in milliseconds (0: for ever); not while it `isEndless`. */
export type Patience = { ms: number; isEndless: boolean };

/** The most connections that one instance opens. */
const poolSize = 10;

/** One Kysely instance for a database. The caller ends it with `destroy()`. `tell` hears of each statement. */
export function connect<Schema>(
  place: Place,
  tell?: Observer['statement'],
  patience: Patience = { ms: 0, isEndless: true },
): { db: Kysely<Schema>; engine: Engine } {
  if ('file' in place) {
    return {
      db: new Kysely<Schema>({
        dialect: new SqliteDialect({
          database: openSqlite(place.file),
          onCreateConnection: async (connection) => {
            makePatient(connection, place.file);
            if (tell) observeStatements(connection, tell);
          },
        }),
      }),
      engine: 'sqlite',
    };
  }
  return {
    db: new Kysely<Schema>({
      dialect: new PostgresDialect({
        pool: () => openPool(place, patience),
        onCreateConnection: async (connection) => {
          makePersistent(connection);
          if (tell) observeStatements(connection, tell);
        },
      }),
    }),
    engine: 'postgres',
  };
}

/** The driver is loaded here: a shop on SQLite has no use for it. */
async function openPool(place: { url: string; schema?: string }, patience: Patience) {
  const { default: pg } = await import('pg');
  // Whole numbers (int8) fit JavaScript's exact range here: money in minor units and times in milliseconds.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: place.url,
    max: poolSize,
    connectionTimeoutMillis: 5000,
    stream: () => openSocket(patience),
    // Where patience is endless the network tells, after a quarter of an hour, that nobody is there any more.
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    ...(place.schema ? { options: `-c search_path=${place.schema}` } : {}),
  });
  // A connection that dies (a restart of the database) fails the query that it was in, and is replaced at
  // the next one; without listeners its error would end the process, whether it was idle or in use.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
}

/**
 * A machine that is gone says nothing, not even that it is gone, and who waits for it would do so for ever. An idle
 * connection does not come so far: the pool ends it after ten seconds.
 */
function openSocket(patience: Patience): Socket {
  const socket = new Socket();
  return socket.setTimeout(patience.ms, () => {
    if (patience.isEndless) return;
    socket.destroy(Object.assign(new Error('The database has not answered.'), { code: 'ETIMEDOUT' }));
  });
}
