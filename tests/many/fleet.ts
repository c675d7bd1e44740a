import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { openDoor } from '../support/people.ts';
import { findFreePort } from '../support/port.ts';
import { builtShop, runProgram } from '../support/server.ts';
import { openBalancer, toProcess } from './balancer.ts';

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * Three processes of the shop on one PostgreSQL behind one load balancer. Each has its own port and its own folder, as
 * if it ran on its own machine. They end with the test.
 */
export async function startFleet(databaseUrl: string) {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entrance = await findFreePort();
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()] as const;
  const origin = `http://127.0.0.1:${entrance}`;

  /** Starts a process of this release or of another one. The balancer uses it if the port is one of its `ports`. */
  async function startProcess(port: number, script = builtShop) {
    const settings = {
      PORT: `${port}`,
      PUBLIC_URL: origin,
      DATABASE_URL: databaseUrl,
      DATA_DIR: `${folder}/${port}`,
      AUTH_SECRET: 'the same for all of the processes here',
      TRUSTED_PROXIES: '127.0.0.1',
      STOP_DELAY_SECONDS: '5',
    };
    const started = runProgram(process.execPath, [script], settings);
    await started.firstLine();
    return started;
  }

  // The first one creates the tables and the demo catalogue.
  const first = await startProcess(ports[0]);
  const processes = [first, await startProcess(ports[1]), await startProcess(ports[2])] as const;
  const balancer = await openBalancer(entrance, ports);
  onTestFinished(balancer.close);

  return {
    origin,
    ports,
    processes,
    balancer,
    startProcess,
    /** Clients that go through the balancer. */
    ...openDoor(origin, fetch),
    /** Clients of one process. Their requests pass through the balancer too, since it has the shop's address. */
    door: (at: number) =>
      openDoor(origin, (request) => {
        request.headers.set(toProcess, `${at}`);
        return fetch(request);
      }),
  };
}

/** Requests a path from one process, bypassing the balancer. */
export const askProcess = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`);
