import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');
const standard = page.slice(page.indexOf('## OWASP ASVS 5.0'));

/** The number of items of levels 1 and 2 in each section of OWASP ASVS 5.0.0. Items are numbered from 1. */
const items = {
  '1.1': 2,
  '1.2': 9,
  '1.3': 11,
  '1.4': 3,
  '1.5': 2,
  '2.1': 3,
  '2.2': 3,
  '2.3': 4,
  '2.4': 1,
  '3.2': 2,
  '3.3': 4,
  '3.4': 6,
  '3.5': 5,
  '3.7': 2,
  '4.1': 3,
  '4.2': 1,
  '4.3': 2,
  '4.4': 4,
  '5.1': 1,
  '5.2': 3,
  '5.3': 2,
  '5.4': 3,
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.3': 4,
  '10.4': 11,
  '10.5': 5,
  '10.6': 2,
  '10.7': 3,
  '11.1': 2,
  '11.2': 3,
  '11.3': 3,
  '11.4': 4,
  '11.5': 1,
  '11.6': 1,
  '12.1': 3,
  '12.2': 2,
  '12.3': 4,
  '13.1': 1,
  '13.2': 5,
  '13.3': 2,
  '13.4': 5,
  '14.1': 2,
  '14.2': 4,
  '14.3': 3,
  '15.1': 3,
  '15.2': 3,
  '15.3': 7,
  '16.1': 1,
  '16.2': 5,
  '16.3': 4,
  '16.4': 3,
  '16.5': 3,
  '17.1': 1,
  '17.2': 4,
  '17.3': 2,
};

/** The cells of each table row that names a test. */
const rows = page
  .split('\n')
  .filter((line) => /^\|.*\.test\.ts` *\|$/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );

test('docs/security.md lists every item of levels 1 and 2 once: met, not applicable or accepted', () => {
  const named = [...standard.matchAll(/(?<![\d.])\d{1,2}\.\d\.\d{1,2}(?![\d.]*\d)/g)].map(([item]) => item);
  const all = Object.entries(items).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  );
  expect(all).toHaveLength(253);
  expect(named.sort()).toEqual(all.sort());
});

test('every met item in docs/security.md names a test file that exists', () => {
  const testCells = rows.flatMap((cells) => cells.at(-1)?.split('<br>') ?? []);
  expect(testCells.length).toBeGreaterThan(200);
  const files = testCells.map((cell) => /^`([\w/.-]+\.test\.ts)`$/.exec(cell)?.[1] ?? cell);
  expect(files.filter((file) => !existsSync(fileURLToPath(new URL(file, root))))).toEqual([]);
  const met = standard.split('\n').filter((line) => /^\| *\d+\.\d\.\d/.test(line));
  expect(met.filter((line) => !/\.test\.ts` *\|$/.test(line))).toEqual([]);
});
