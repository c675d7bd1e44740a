import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { chooseSeed } from '../support/seed.ts';
import { fuzz } from './fuzz.ts';

/** `node tests/fuzz/run.ts --requests 10000 [--seed N] [--postgres]`: exit code 1 if a violation was found. */

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: `${chooseSeed()}` },
    postgres: { type: 'boolean', default: false },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);

print(`seed ${values.seed}, ${values.requests} requests on ${values.postgres ? 'PostgreSQL' : 'SQLite'}`);
const postgres = values.postgres ? await startPostgres() : undefined;
const started = performance.now();
const target = postgres ? { place: { url: postgres.url } } : {};
const { requests, statuses, neverSucceeded, finding } = await fuzz(
  target,
  Number(values.requests),
  Number(values.seed),
);
await postgres?.stop();

for (const [status, count] of statuses) print(`${status}: ${count}`);
print(`${requests} requests in ${((performance.now() - started) / 1000).toFixed(1)} s`);
// After this many requests, every operation should have succeeded at least once.
const unseen = Number(values.requests) >= 10_000 ? neverSucceeded : [];
if (unseen.length > 0) print(`never succeeded: ${unseen.join(', ')}`);
if (finding !== undefined) print(`\nfound:\n${finding}`);
process.exitCode = finding === undefined && unseen.length === 0 ? 0 : 1;
