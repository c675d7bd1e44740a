import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './support/database.ts';

const resolvePath = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

test('the linter rejects a statement that drops the value of a pure call', () => {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'biome.json'),
    JSON.stringify({ plugins: [resolvePath('scripts/unused-value.grit')] }),
  );
  const lines = [
    'decodeURIComponent(text);',
    'BigInt(text);',
    'if (use) void JSON.parse(text);',
    'use(() => { Intl.getCanonicalLocales(text); });',
    'use(decodeURIComponent(text));',
    'use(() => BigInt(text));',
    'const value = JSON.parse(text);',
    'return value ?? decodeURIComponent(text);',
  ];
  writeFileSync(join(folder, 'linted.ts'), `export function f(text, use) {\n${lines.join('\n')}\n}`);
  const biome = resolvePath('node_modules/@biomejs/biome/bin/biome');
  const { stderr } = spawnSync(process.execPath, [biome, 'lint'], { cwd: folder, encoding: 'utf8' });
  const rejected = [...stderr.matchAll(/linted\.ts:(\d+):\d+ plugin/g)].map(([, line]) => Number(line) - 2);
  expect(rejected).toEqual([0, 1, 2, 3]);
});
