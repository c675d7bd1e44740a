import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { builtServerPath } from '../support/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** This release, and a simulated next one with its last migration. */
export function makeReleases() {
  return {
    from: {
      server: join(root, builtServerPath),
      findCommand: (name: string) => findCommand(root, name),
    },
    to: makeNextRelease(),
  };
}

/** The path of the script that an npm command runs. */
function findCommand(folder: string, name: string): string {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return join(folder, scripts[name]?.split(' ').at(-1) ?? '');
}

/** Copies the sources and adds a migration. The copy serves this build's pages. */
function makeNextRelease() {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['contract', 'sandbox', 'seed', 'server', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['dist', 'node_modules']) symlinkSync(join(root, part), join(folder, part), 'junction');
  const lastMigration = '999-next';
  const file = join(folder, 'server', 'database', 'migrate.ts');
  const before = readFileSync(file, 'utf8');
  const migration = `{ name: '${lastMigration}', up: (db) => db.schema.alterTable('product').addColumn('next', 'text').execute() }`;
  const after = before.replace(/(const migrations\b[^;]*)\];/, `$1, ${migration}];`);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
  return {
    server: join(folder, 'server', 'main.ts'),
    lastMigration,
    findCommand: (name: string) => findCommand(folder, name),
  };
}
