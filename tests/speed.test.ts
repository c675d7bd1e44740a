import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('no benchmark falls to half its speed relative to the baseline', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/all.ts', '--short'], {
    encoding: 'utf8',
    timeout: 240_000,
  });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toContain('vs. baseline: ');
}, 250_000);
