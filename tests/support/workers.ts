import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { makeDatabase, makeFolder } from './database.ts';
import { findFreePort } from './port.ts';
import { startServer } from './server.ts';

/** The shop as `npm start` runs it with `WEB_CONCURRENCY`, on a PostgreSQL database of its own; it ends with the test. */
export async function startWorkers(count: number) {
  const { place, drop } = await makeDatabase('postgres');
  onTestFinished(drop);
  if (!('url' in place)) throw new Error('PostgreSQL is at an address.');
  const DATA_DIR = makeFolder();
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const PORT = `${await findFreePort()}`;
  return startServer({ DATABASE_URL: place.url, WEB_CONCURRENCY: `${count}`, DATA_DIR, PORT });
}
