import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { migrations } from '../../server/database/migrate.ts';
import { makeFolder } from '../support/database.ts';
import { builtServerPath } from '../support/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The release to upgrade `from`, and the release to upgrade `to`, with its last migration. By default, this release is
 * upgraded to a simulated next one. With EARLIER_RELEASE, the folder of a built earlier release, that release is
 * upgraded to this one (`npm run torture -- upgrade`).
 */
export function makeReleases() {
  const { EARLIER_RELEASE } = process.env;
  const folder = EARLIER_RELEASE ?? root;
  const to = EARLIER_RELEASE
    ? { server: builtServerPath, lastMigration: migrations.at(-1)?.name ?? '' }
    : makeNextRelease();
  return {
    from: {
      server: join(folder, builtServerPath),
      /** The path of the script that an npm command runs. */
      findCommand(name: string): string {
        const { scripts }: { scripts: Record<string, string> } = JSON.parse(
          readFileSync(join(folder, 'package.json'), 'utf8'),
        );
        return join(folder, scripts[name]?.split(' ').at(-1) ?? '');
      },
    },
    to,
    isEarlier: EARLIER_RELEASE !== undefined,
  };
}

/** Copies the sources and adds a migration. The copy serves this build's pages. */
function makeNextRelease() {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['contract', 'sandbox', 'seed', 'server', 'stripe', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['dist', 'node_modules']) symlinkSync(join(root, part), join(folder, part), 'junction');
  const lastMigration = '999-next';
  const file = join(folder, 'server', 'database', 'migrate.ts');
  const before = readFileSync(file, 'utf8');
  const migration = `  { name: '${lastMigration}', up: (db) => db.schema.alterTable('product').addColumn('next', 'text').execute() },`;
  const after = before.replace(/(const migrations\b[^;]*)\n\];/, `$1\n${migration}\n];`);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
  return { server: join(folder, 'server', 'main.ts'), lastMigration };
}
