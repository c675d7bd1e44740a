/** Time from the command to the first complete home page, for an installed and built shop with data. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findFreePort } from '../tests/support/port.ts';
import { report } from './report.ts';
import { makeFolder, openShop, root, startArguments, withDatabaseFile } from './shop.ts';

const runs = 5;
const bareServer =
  "require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1')";
const folder = makeFolder();
try {
  await (await openShop({ folder })).close();
  const viaNpm: number[] = [];
  const direct: number[] = [];
  const bare: number[] = [];
  // The first run fills the compile cache.
  for (let index = 0; index <= runs; index++) {
    viaNpm.push(await measure('npm', ['start']));
    direct.push(await measure(process.execPath, startArguments));
    bare.push(await measure(process.execPath, ['--eval', bareServer]));
  }
  report('Start', [
    row('`npm start` to the first response', 1000, viaNpm.slice(1)),
    row('Our process alone, from its start', 400, direct.slice(1)),
    { name: 'A bare `node:http` server, for comparison', goal: '', value: describe(bare.slice(1)).value },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function row(name: string, goal: number, durations: number[]) {
  const { median, value } = describe(durations);
  return { name, goal: `≤ ${goal} ms, median of ${runs}`, value, passed: median <= goal };
}

function describe(durations: number[]) {
  const sorted = durations.toSorted((a, b) => a - b).map(Math.round);
  const median = sorted[Math.floor(runs / 2)] ?? 0;
  return { median, value: `${median} ms (${sorted[0]} to ${sorted.at(-1)})` };
}

/** Milliseconds from starting a command until the home page has been received. */
async function measure(program: string, args: string[]): Promise<number> {
  const port = await findFreePort();
  const { PATH = '', HOME = '', SystemRoot = '' } = process.env;
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH, HOME, SystemRoot, DATA_DIR: folder, PORT: `${port}` },
    stdio: 'ignore',
    shell: program === 'npm' && process.platform === 'win32',
  });
  while (!(await isOpen(port, child))) await setTimeout(2);
  const durationMs = performance.now() - startedAt;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  // npm may end before the shop, which holds this lock until it ends.
  withDatabaseFile(join(folder, 'server.lock'), (lock) => lock.exec('begin exclusive'));
  return durationMs;
}

async function isOpen(port: number, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error('The shop did not start.');
  try {
    const [response]: IncomingMessage[] = await once(
      get({ port, host: '127.0.0.1', path: '/', headers: { host: `localhost:${port}` }, agent: false }),
      'response',
    );
    if (response) for await (const _ of response);
    return response?.statusCode === 200;
  } catch {
    return false;
  }
}
