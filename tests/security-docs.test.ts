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

/** The items that a text names, one by one or as a range such as `1.2.1–1.2.5`. */
const listItems = (text: string): string[] =>
  [...text.matchAll(/(?<![\d.])(\d{1,2}\.\d)\.(\d{1,2})(?:–\1\.(\d{1,2}))?(?![\d.]*\d)/g)].flatMap(
    ([, section, first, last = first]) => listSection(`${section}`, Number(first), Number(last)),
  );

const listSection = (section: string, first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `${section}.${first + index}`);

const listTests = (text: string): string[] => text.match(/[\w/.-]+\.test\.ts/g) ?? [];

test('docs/security.md lists every item of levels 1 and 2 once: met, not applicable or accepted', () => {
  const all = Object.entries(items).flatMap(([section, count]) => listSection(section, 1, count));
  expect(all).toHaveLength(253);
  expect(listItems(standard).sort()).toEqual(all.sort());
});

test('every limit, attack and met item in docs/security.md names a test file that exists', () => {
  const [, ...limits] = read('## Limits', '## Attacks').split('\n### ');
  const attacks = read('## Attacks', '## Design').split('\n- ').slice(1);
  const met = read('### Met', '### Not applicable').split('\n- ').slice(1);
  const entries = [...limits, ...attacks, ...met];
  expect(entries.length).toBeGreaterThan(50);
  expect(entries.filter((entry) => listTests(entry).length === 0)).toEqual([]);
  expect(listTests(page).filter((file) => !existsSync(fileURLToPath(new URL(file, root))))).toEqual([]);
});

/** The part of the page from one heading to another. */
function read(start: string, end: string): string {
  const [from, to] = [page.indexOf(`\n${start}\n`), page.indexOf(`\n${end}\n`)];
  expect([start, from > 0 && to > from]).toEqual([start, true]);
  return page.slice(from, to);
}
