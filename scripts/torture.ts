import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DatabaseLocation } from '../server/config/config.ts';
import { findFreePort } from '../tests/support/port.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { chooseSeed } from '../tests/support/seed.ts';
import type { ProcessSettings } from '../tests/torture/shop-process.ts';
import { killRepeatedly } from '../tests/torture/torture.ts';

/**
 * `npm run torture`: the long runs of the kill, fuzz and model tests. `-- --kills 5` shortens a run, `-- --seed 1` repeats one.
 * `npm run torture -- failover` instead repeats the failover to a standby, `--failovers` times in a row.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '50' },
    requests: { type: 'string', default: '10000' },
    sequences: { type: 'string', default: '100' },
    failovers: { type: 'string', default: '20' },
    // Unlike other random tests, this has a new seed in every run, even in CI.
    seed: { type: 'string', default: `${chooseSeed({})}` },
  },
});
const root = join(import.meta.dirname, '..');
const runStartedAt = Date.now();
const seed = Number(values.seed);
if (positionals.includes('failover')) {
  failOverRepeatedly();
  process.exit();
}
console.log(
  `Seed ${seed}: ${values.kills} kills and ${values.requests} requests per engine, a fifth as many kills with two processes, ${values.sequences} model sequences. The defaults take about six minutes on two idle cores.`,
);

await killOnSqlite();
await killOnPostgres('PostgreSQL', 1, Number(values.kills));
await killOnPostgres('PostgreSQL with two processes', 2, Math.ceil(Number(values.kills) / 5));
fuzz();
fuzz('--postgres');
model();
console.log(`All checks passed in ${Math.round((Date.now() - runStartedAt) / 1000)} s.`);

async function killOnSqlite(): Promise<void> {
  const folder = makeFolder();
  await killOn('SQLite', { file: join(folder, 'shop.db') }, { DATA_DIR: folder }, 1, Number(values.kills));
  rmSync(folder, { recursive: true, force: true });
}

async function killOnPostgres(name: string, processes: number, kills: number): Promise<void> {
  const folder = makeFolder();
  const postgres = await startPostgres();
  try {
    const { url } = postgres;
    await killOn(name, { url }, { DATA_DIR: folder, DATABASE_URL: url }, processes, kills);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws if a check fails; SQLite's data then stays in place for inspection. */
async function killOn(
  name: string,
  place: DatabaseLocation,
  settings: Omit<ProcessSettings, 'PORT'>,
  processes: number,
  kills: number,
): Promise<void> {
  const startedAt = Date.now();
  const first = { ...settings, PORT: `${await findFreePort()}` };
  const others: ProcessSettings[] = [];
  while (others.length < processes - 1) others.push({ ...settings, PORT: `${await findFreePort()}` });
  const result = await killRepeatedly({
    place,
    settings: [first, ...others],
    kills,
    seed,
    report: (line) => process.stderr.write(`${line}\n`),
  });
  const starts = result.starts.toSorted((a, b) => a - b);
  const [median, slowest] = [starts[starts.length >> 1], starts.at(-1)].map((ms = 0) => Math.round(ms));
  console.log(
    `${name}: ${result.kills} kills in ${Math.round((Date.now() - startedAt) / 1000)} s. ${result.answered} requests got a response ` +
      `and ${result.unanswered} did not, ${result.orders} orders were placed; no acknowledged write was lost, and the ` +
      `books balance. Restarts took ${median} ms, at most ${slowest} ms.`,
  );
}

/** Runs in a child process, which prints its seed and results. */
function fuzz(...options: string[]): void {
  const script = join(root, 'tests', 'fuzz', 'run.ts');
  run([script, '--requests', values.requests, '--seed', values.seed, ...options]);
}

function failOverRepeatedly(): void {
  for (let index = 0; index < Number(values.failovers); index++) {
    runTests(['tests/cluster/failover.long.test.ts'], { SEED: `${seed + index}` });
    console.log(
      `Failover: ${index + 1} of ${values.failovers} passed after ${Math.round((Date.now() - runStartedAt) / 1000)} s.`,
    );
  }
}

function model(): void {
  runTests(['tests/model'], { FC_RUNS: values.sequences, SEED: values.seed });
}

function runTests(paths: string[], settings: Record<string, string>): void {
  run([join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...paths], settings);
}

function run(args: string[], settings: Record<string, string> = {}): void {
  const env = { ...process.env, ...settings };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`Failed: ${args.join(' ')}`);
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'shop-torture-'));
}
