import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { makeFolder } from '../support/database.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Name of the migration that only the next release has. */
export const nextMigration = '999-next';

/** Copies the sources, adds a migration, and returns the path of the copy's server. It serves this build's pages. */
export function makeNextRelease(): string {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['contract', 'sandbox', 'seed', 'server', 'stripe', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['dist', 'node_modules']) symlinkSync(join(root, part), join(folder, part), 'junction');
  const file = join(folder, 'server', 'database', 'migrate.ts');
  const before = readFileSync(file, 'utf8');
  const migration = `  { name: '${nextMigration}', up: (db) => db.schema.alterTable('product').addColumn('next', 'text').execute() },`;
  const after = before.replace(/(const migrations\b[^;]*)\n\];/, `$1\n${migration}\n];`);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
  return join(folder, 'server', 'main.ts');
}
