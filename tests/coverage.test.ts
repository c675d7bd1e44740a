import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const rows = readFileSync(`${root}docs/coverage.md`, 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!-|Statement)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/coverage.md', () => {
  test('names a test for every statement', () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter(([, , shownBy = '']) => !/^`[^`]+`: ./.test(shownBy))).toEqual([]);
  });

  test('names tests that exist', () => {
    const named = rows
      .flatMap(([, , shownBy = '']) => shownBy.split('<br>'))
      .map((entry) => /^`([^`]+)`: (.+)$/.exec(entry.trim()) ?? [entry, '', entry]);
    const missing = named.filter(([, file, name = '']) => !(file && read(file).includes(`${name}`)));
    expect(missing.map(([entry]) => entry)).toEqual([]);
  });
});

function read(file: string): string {
  try {
    return readFileSync(root + file, 'utf8');
  } catch {
    return '';
  }
}
