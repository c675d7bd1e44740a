import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
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

const told = /told this once: admin@example\.com \S+, customer@example\.com \S+\.$/;

test('of several processes the first tells the new passwords of the demo people, in the one sentence', async () => {
  const { place, drop } = await makeDatabase('postgres');
  onTestFinished(drop);
  if (!('url' in place)) return expect.unreachable();
  const shop = await start({ DATABASE_URL: place.url, WEB_CONCURRENCY: '2' });
  expect(await shop.firstLine()).toMatch(told);
  await shop.kill('SIGTERM');
});

test('where the port is taken the new passwords of the demo people are told all the same', async () => {
  const PORT = `${await findFreePort()}`;
  const other = createServer().listen(Number(PORT), '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const shop = await start({ PORT });
  const { code, err } = await shop.ended;
  const [passwords, reason] = err.trim().split('\n');
  expect([code, passwords, reason]).toEqual([
    1,
    expect.stringMatching(told),
    expect.stringContaining('PORT'),
  ]);
});
