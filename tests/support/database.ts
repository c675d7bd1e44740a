import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { Place } from '../../server/config/config.ts';
import type { Engine } from '../../server/database/schema.ts';

/** Both engines, for `describe.each(engines)`: what holds on one holds on the other. */
export const engines: Engine[] = ['sqlite', 'postgres'];

/** An empty database of its own. `drop` removes it, even while somebody is connected. */
export async function makeDatabase(engine: Engine): Promise<{ place: Place; drop: () => Promise<void> }> {
  return engine === 'sqlite' ? makeSqlite() : makePostgres();
}

function makeSqlite(): { place: Place; drop: () => Promise<void> } {
  const folder = makeFolder();
  return {
    place: { file: join(folder, 'shop.db') },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function makePostgres(): Promise<{ place: Place; drop: () => Promise<void> }> {
  const name = `shop_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name}`);
  const url = new URL(inject('postgres'));
  url.pathname = `/${name}`;
  return { place: { url: url.href }, drop: () => administer(`drop database if exists ${name} with (force)`) };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A new empty folder, such as a `DATA_DIR`. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'shop-test-'));
}
