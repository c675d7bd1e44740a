import { rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { findFreePort } from '../support/port.ts';
import { builtServerPath, runProgram } from '../support/server.ts';
import { createShopClient } from '../support/shop-client.ts';
import { processHeader, startBalancer } from './balancer.ts';

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * Starts three processes of the shop on one PostgreSQL behind a load balancer. Each has its own port and folder, as if it
 * ran on its own machine. They stop at the end of the test.
 */
export async function startFleet(
  databaseUrl: string,
  options: {
    /** The database URL of the third process. */
    thirdDatabaseUrl?: string;
    /** The server of another release. */
    script?: string;
    settings?: Record<string, string>;
    onResponse?: (response: IncomingMessage, path: string) => void;
  } = {},
) {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const balancerPort = await findFreePort();
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()] as const;
  const origin = `http://127.0.0.1:${balancerPort}`;
  const { thirdDatabaseUrl = databaseUrl, script: firstScript = builtServerPath } = options;

  const createSettings = (port: number) => ({
    PORT: `${port}`,
    PUBLIC_URL: origin,
    DATABASE_URL: port === ports[2] ? thirdDatabaseUrl : databaseUrl,
    DATA_DIR: `${folder}/${port}`,
    AUTH_SECRET: 'the same for all of the processes here',
    TRUSTED_PROXIES: '127.0.0.1',
    STOP_DELAY_SECONDS: '5',
    ...options.settings,
  });

  /** Starts a process of this release or of another one. The balancer uses it if `ports` contains its port. */
  async function startProcess(port: number, script = firstScript) {
    const started = runProgram(process.execPath, [script], createSettings(port));
    await started.firstLine();
    return started;
  }

  // On an empty database, the first process creates the tables and, in the sandbox, the demo catalogue.
  const first = await startProcess(ports[0]);
  const processes = [first, await startProcess(ports[1]), await startProcess(ports[2])] as const;
  const balancer = await startBalancer(balancerPort, ports, options.onResponse);
  onTestFinished(balancer.close);

  return {
    origin,
    ports,
    processes,
    balancer,
    startProcess,
    /** Runs a command's script as on the first process's machine, and resolves when it has ended. */
    runCommand: (script: string, ...args: string[]) =>
      runProgram(process.execPath, [script, ...args], createSettings(ports[0])).ended,
    /** Clients that go through the balancer. */
    ...createShopClient(origin, fetch),
    /** Clients of one process. Their requests also pass through the balancer, which has the shop's origin. */
    processClient: (at: number) =>
      createShopClient(origin, (request) => {
        request.headers.set(processHeader, `${at}`);
        return fetch(request);
      }),
  };
}

/** Requests a path from one process, bypassing the balancer. */
export const fetchFromProcess = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`);

/** If `PGBOUNCER=yes` is set, returns the URL of a PgBouncer that runs until the end of the test; otherwise, the same URL. */
export async function poolConnections(databaseUrl: string): Promise<string> {
  if (!process.env.PGBOUNCER) return databaseUrl;
  const { url, stop } = await startPgBouncer(databaseUrl);
  onTestFinished(stop);
  return url;
}
