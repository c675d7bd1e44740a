import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Engine } from '../../server/database/schema.ts';
import type { OpeningStock } from '../support/auditor.ts';
import { runSql } from '../support/database-dump.ts';
import type { FilledShop } from '../support/filled-shop.ts';
import type { TestUser } from '../support/requests.ts';

/** Facts about a fixture that its rows do not show. Stored as JSON in released fixtures, so the names must stay. */
export type FixtureFacts = Pick<FilledShop, 'enrolled' | 'keyedRequest' | 'keyedResponse'> & {
  authSecret: string;
  admin: TestUser;
  customer: TestUser;
  /** The opening stock of each product, for the auditor. */
  opening: [product: string, OpeningStock][];
};

/** One folder per release. */
export const fixturesFolder = join(import.meta.dirname, 'fixtures');

export const listReleases = () => readdirSync(fixturesFolder).sort();

/** The release of this version, such as `1.0`. */
export function readRelease(): string {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version.replace(/\.\d+$/, '');
}

/** The shop's tables and the stand-ins'. On PostgreSQL, they are schemas of one database. */
export const fixtureParts = ['shop', 'sandbox'] as const;

export const findFixture = (release: string, engine: Engine, part: 'shop' | 'sandbox') =>
  join(fixturesFolder, release, `${engine}-${part}.sql`);

/** Loads a release's fixture into an empty database, and returns the facts in its first line. */
export async function loadFixture(
  release: string,
  engine: Engine,
  place: DatabaseLocation,
): Promise<FixtureFacts> {
  for (const part of fixtureParts)
    await runSql(place, part, readFileSync(findFixture(release, engine, part), 'utf8'));
  const [head = ''] = readFileSync(findFixture(release, engine, 'shop'), 'utf8').split('\n');
  return JSON.parse(head.replace(/^-- /, ''));
}
