import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPgBouncer } from './pgbouncer.ts';
import { startPostgres } from './postgres.ts';
import { chooseSeed } from './seed.ts';
import { temporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Seed of the run's random tests. */
    seed: number;
    /** The URL of the server that `setUp` starts. */
    databases: string;
  }
}

/**
 * Vitest's global setup: a seed for the random tests, and what all workers share: one PostgreSQL server, and a template
 * of each kind of database. They are created on first request, so that a run of one file starts at once.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const seed = chooseSeed();
  process.stdout.write(`Random tests use seed ${seed}; SEED=${seed} repeats them.\n`);
  project.provide('seed', seed);

  const folder = mkdtempSync(join(temporaryFolder, 'shop-templates-'));
  let postgres: ReturnType<typeof startPostgres> | undefined;
  const getPostgres = () => (postgres ??= startPostgres());
  let pooler: ReturnType<typeof startPgBouncer> | undefined;
  const getPooler = async () => (pooler ??= startPgBouncer((await getPostgres()).url));
  const made = new Map<string, Promise<string>>();

  async function make(path: string): Promise<string> {
    if (path === '/postgres') return (await getPostgres()).url;
    if (path === '/pgbouncer') return (await getPooler()).url;
    const { makeTemplate } = await import('./templates.ts');
    return makeTemplate(path, folder, async () => (await getPostgres()).url);
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const result = made.get(path) ?? make(path);
    made.set(path, result);
    result.then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });
  // Only the workers close idle connections: a request on one that the server is just closing would fail.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  project.provide('databases', `http://127.0.0.1:${address.port}`);

  return async () => {
    server.close();
    server.closeAllConnections();
    await (await pooler)?.stop();
    await (await postgres)?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
