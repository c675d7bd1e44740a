import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('no ratio of the benchmarks is below half of its goal', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/all.ts', '--short'], {
    encoding: 'utf8',
    timeout: 240_000,
  });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toContain('vs. baseline: ');
}, 250_000);
