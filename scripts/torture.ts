import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Place } from '../server/config/config.ts';
import { findFreePort } from '../tests/support/port.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { chooseSeed } from '../tests/support/seed.ts';
import type { Settings } from '../tests/torture/shop-process.ts';
import { torture } from '../tests/torture/torture.ts';

/** `npm run torture`: the long forms of what breaks the shop on purpose. `-- --kills 5 --seed 1` for less, or again. */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    requests: { type: 'string', default: '10000' },
    sequences: { type: 'string', default: '100' },
    // A new one for every run, in CI too.
    seed: { type: 'string', default: `${chooseSeed({})}` },
  },
});
const root = join(import.meta.dirname, '..');
const began = Date.now();
const seed = Number(values.seed);
console.log(
  `Seed ${seed}; about six minutes on two free cores: 50 kills an engine, 10,000 requests on each, 100 sequences of the model.`,
);

await killOnSqlite();
await killOnPostgres('PostgreSQL', 1, Number(values.kills));
await killOnPostgres('PostgreSQL with two processes', 2, Math.ceil(Number(values.kills) / 5));
fuzz();
fuzz('--postgres');
model();
console.log(`All held, in ${Math.round((Date.now() - began) / 1000)} s.`);

async function killOnSqlite(): Promise<void> {
  const folder = makeFolder();
  await killOn('SQLite', { file: join(folder, 'shop.db') }, { DATA_DIR: folder }, 1, Number(values.kills));
  rmSync(folder, { recursive: true, force: true });
}

async function killOnPostgres(what: string, processes: number, kills: number): Promise<void> {
  const folder = makeFolder();
  const postgres = await startPostgres();
  try {
    const { url } = postgres;
    await killOn(what, { url }, { DATA_DIR: folder, DATABASE_URL: url }, processes, kills);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws if something is wrong, and then leaves SQLite's data in place for inspection. */
async function killOn(
  what: string,
  place: Place,
  settings: Omit<Settings, 'PORT'>,
  processes: number,
  kills: number,
): Promise<void> {
  const from = Date.now();
  const first = { ...settings, PORT: `${await findFreePort()}` };
  const others: Settings[] = [];
  while (others.length < processes - 1) others.push({ ...settings, PORT: `${await findFreePort()}` });
  const done = await torture({
    place,
    settings: [first, ...others],
    kills,
    seed,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  const starts = done.starts.toSorted((a, b) => a - b);
  const [middle, slowest] = [starts[starts.length >> 1], starts.at(-1)].map((ms = 0) => Math.round(ms));
  console.log(
    `${what}: ${done.kills} kills in ${Math.round((Date.now() - from) / 1000)} s. ${done.answered} requests were answered ` +
      `and ${done.unanswered} were not, ${done.orders} orders were placed; every answered write is there and all ` +
      `accounts add up. It was open again after ${middle} ms, at most ${slowest} ms.`,
  );
}

/** A process of its own: what it says of the seed and the answers is for whoever reads this. */
function fuzz(...more: string[]): void {
  const script = join(root, 'tests', 'fuzz', 'run.ts');
  run([script, '--requests', values.requests, '--seed', values.seed, ...more]);
}

function model(): void {
  run([join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'tests/model'], {
    FC_RUNS: values.sequences,
    SEED: values.seed,
  });
}

function run(args: string[], settings: Record<string, string> = {}): void {
  const env = { ...process.env, ...settings };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`It has found something: ${args.join(' ')}`);
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'shop-torture-'));
}
