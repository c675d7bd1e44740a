import type { ClientBase } from 'pg';
import { listServerUrls } from '../config/database-url.ts';

export const connectTimeoutMs = 5000;

/** `url` contains the password. */
export type Primary = { url: string; host: string; timeline: number };

/**
 * The servers of a `DATABASE_URL` that accept writes, with the newest timeline first. Queries all servers at once, and skips those
 * that fail.
 */
export async function listPrimaries(databaseUrl: string): Promise<Primary[]> {
  const { default: pg } = await import('pg');
  const connecting = listServerUrls(databaseUrl).map(async (url): Promise<Primary> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return { url, host: `${client.host}:${client.port}`, timeline: (await readServer(client)).timeline };
    } finally {
      void client.end();
    }
  });
  const results = await Promise.allSettled(connecting);
  return results
    .flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    .toSorted((a, b) => b.timeline - a.timeline);
}

/**
 * The number of the server's timeline, which each promotion raises, and the id of the process that serves this connection. Throws
 * if the server accepts no writes.
 */
export async function readServer(client: ClientBase): Promise<{ timeline: number; pid: number }> {
  // During recovery, `transaction_read_only` is on, and the other functions would fail. The timeline is the first part of the name:
  // https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP
  const { rows } = await client.query<{ segment: string | null; pid: number }>(
    `select pg_backend_pid() as pid, case when current_setting('transaction_read_only') = 'off'
      then pg_walfile_name(pg_current_wal_lsn()) end as segment`,
  );
  const [server] = rows;
  if (!server?.segment) throw createServerError(describeReadOnly(client));
  return { timeline: Number.parseInt(server.segment.slice(0, 8), 16), pid: server.pid };
}

/** Throws the same error as for a standby if the server has missed a promotion. */
export function rejectOldTimeline(client: ClientBase, timeline: number, newest: number): void {
  if (timeline < newest)
    throw createServerError(
      `${describeServer(client)} is an old primary: its timeline is ${timeline}, but the promoted standby has timeline ${newest}`,
    );
}

const createServerError = (message: string) => Object.assign(new Error(message), { code: '25006' });

export const describeReadOnly = (client: ClientBase): string =>
  `${describeServer(client)} is a standby or read-only`;

const describeServer = (client: ClientBase): string =>
  `the server ${'host' in client && 'port' in client ? `${client.host}:${client.port}` : ''}`;
