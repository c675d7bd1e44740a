/** How often a search with one typo finds the right product of the demo catalogue, first and among the first three. */

import type { Product } from '../contract/catalogue/products.ts';
import { catalogue } from '../seed/catalogue.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { type Result, report } from './report.ts';
import { openShop } from './shop.ts';

const queryCount = 200;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';

let state = 1;

/** A pseudorandom whole number below `limit`, the same in every run. */
function draw(limit: number): number {
  state = (state * 48271) % 2147483647;
  return state % limit;
}

/** One letter missing, added, replaced, or swapped with the next. */
function misspell(word: string): string {
  const at = draw(word.length);
  const letter = alphabet[draw(alphabet.length)] ?? '';
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  const typos = [
    before + after,
    before + letter + word.slice(at),
    before + letter + after,
    before + after.slice(0, 1) + word[at] + after.slice(1),
  ];
  return typos[draw(typos.length)] ?? word;
}

/** The words of a name before its comma, one of them misspelled: the noun and what it is for. */
function buildQuery(name: string): string {
  const words = (name.split(',')[0] ?? '').toLowerCase().split(' ');
  const long = words.flatMap((word, at) => (word.length > 3 ? at : []));
  const at = long[draw(long.length)] ?? 0;
  for (;;) {
    const typo = misspell(words[at] ?? '');
    if (typo !== words[at]) return words.with(at, typo).join(' ');
  }
}

const queries = Array.from({ length: queryCount }, () => {
  const name = catalogue[draw(catalogue.length)]?.name ?? '';
  return { name, q: buildQuery(name) };
});

const postgres = await startPostgres();
const results: Result[] = [];
try {
  for (const [engine, settings] of [
    ['SQLite', {}],
    ['PostgreSQL', { DATABASE_URL: postgres.url }],
  ] as const) {
    const shop = await openShop({ settings });
    const ranks: number[] = [];
    for (const { name, q } of queries) {
      const response = await fetch(`${shop.origin}/api/products?${new URLSearchParams({ q, limit: '3' })}`);
      const found: Product[] = await response.json();
      const rank = found.findIndex((product) => product.name === name);
      ranks.push(rank);
      if (rank !== 0) process.stdout.write(`${engine}: “${q}” found ${name} ${rank < 0 ? 'not' : 'later'}\n`);
    }
    await shop.close();
    const share = (isRight: (rank: number) => boolean) => ranks.filter(isRight).length / queryCount;
    for (const [place, goal, value] of [
      ['first', 0.9, share((rank) => rank === 0)],
      ['among the first three', 0.98, share((rank) => rank >= 0)],
    ] as const)
      results.push({
        name: `${engine}: the right product is ${place}`,
        goal: `≥ ${goal * 100} %`,
        value: `${(value * 100).toFixed(1)} %`,
        passed: value >= goal,
      });
  }
} finally {
  await postgres.stop();
}
report(`Relevance: ${queryCount} searches of the demo catalogue with one typo each`, results);
