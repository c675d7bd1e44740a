import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropLeftovers } from './leftovers.ts';

test('files of earlier builds stay for a month', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-leftovers-'));
  mkdirSync(join(folder, 'static'));
  for (const [name, days] of [
    ['main.js', 0],
    ['static/young.js', 29],
    ['static/old.js', 31],
  ] as const) {
    const written = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), written, written);
  }
  dropLeftovers(folder);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['main.js', 'static', 'static/young.js']);
  rmSync(folder, { recursive: true });
});
