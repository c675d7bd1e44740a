import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { makeDatabase, makeFolder } from '../tests/support/database.ts';
import { findFreePort } from '../tests/support/port.ts';
import { runProgram } from '../tests/support/server.ts';

/** From its sources, a shop that others can reach, so that its demo people get new passwords. */
async function start(more: Record<string, string> = {}) {
  const DATA_DIR = makeFolder();
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const PORT = `${await findFreePort()}`;
  const settings = { DATA_DIR, PORT, PUBLIC_URL: 'https://shop.example', ...more };
  return runProgram(process.execPath, ['server/main.ts'], settings);
}

const told = /shown only once: admin@example\.com \S+, customer@example\.com \S+\.$/;

test('of several processes the first tells the new passwords of the demo people, in the one sentence', async () => {
  const { place, drop } = await makeDatabase('postgres');
  onTestFinished(drop);
  if (!('url' in place)) return expect.unreachable();
  const shop = await start({ DATABASE_URL: place.url, WEB_CONCURRENCY: '2' });
  expect(await shop.firstLine()).toMatch(told);
  await shop.kill('SIGTERM');
});
