import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

test('docs/coverage.md names existing test files for every statement', () => {
  const rows = readFileSync(`${root}docs/coverage.md`, 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!-|Statement)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThan(80);
  const files = rows.map(([, , testedBy = '']) =>
    testedBy.split('<br>').map((cell) => cell.replaceAll('`', '')),
  );
  expect(files.flat().filter((file) => !/\.test\.ts$/.test(file) || !existsSync(root + file))).toEqual([]);
});
