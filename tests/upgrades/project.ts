import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Manifest } from '../../contract/pages.ts';
import { makeFolder } from '../support/database.ts';
import { builtServerPath } from '../support/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Copies the sources and the build, so that a test can make the next release in place, as `git pull` would. */
export function copyProject() {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['contract', 'sandbox', 'seed', 'server', 'web', 'scripts', 'dist'])
    cpSync(join(root, part), join(folder, part), { recursive: true, preserveTimestamps: true });
  for (const file of ['package.json', 'package-lock.json', 'vite.config.ts'])
    cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return {
    /** Path of the built server. */
    serverPath: join(folder, builtServerPath),
    /** The manifest of the last build. */
    manifest: (): Manifest => JSON.parse(readFileSync(join(folder, 'dist', 'manifest.json'), 'utf8')),
    change(file: string, from: string, to: string): void {
      const text = readFileSync(join(folder, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} has no ${from}.`);
      writeFileSync(join(folder, file), text.replace(from, to));
    },
    /** Builds the pages, as `npm run build` does. */
    async build(): Promise<void> {
      const parts = pathToFileURL(join(folder, 'scripts', 'parts.mjs')).href;
      const call = `const { buildPart } = await import('${parts}'); await buildPart(${JSON.stringify(folder)}, 'pages');`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', call], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      await once(child, 'close');
      if (child.exitCode !== 0) throw new Error(errors);
    },
  };
}
