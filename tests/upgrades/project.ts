import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Manifest } from '../../contract/pages.ts';
import { makeFolder } from '../support/database.ts';
import { builtShop } from '../support/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the shop, sources and build, of which a next release can be made in place as by `git pull`. */
export function copyProject() {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['contract', 'sandbox', 'seed', 'server', 'stripe', 'web', 'scripts', 'dist'])
    cpSync(join(root, part), join(folder, part), { recursive: true, preserveTimestamps: true });
  for (const file of ['package.json', 'package-lock.json', 'vite.config.ts'])
    cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return {
    /** The server, as `npm start` runs it. */
    shop: join(folder, builtShop),
    /** What the last build says of its files. */
    manifest: (): Manifest => JSON.parse(readFileSync(join(folder, 'dist', 'manifest.json'), 'utf8')),
    change(file: string, from: string, to: string): void {
      const text = readFileSync(join(folder, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} has no ${from}.`);
      writeFileSync(join(folder, file), text.replace(from, to));
    },
    /** What `npm run build` does with the pages. */
    async build(): Promise<void> {
      const parts = pathToFileURL(join(folder, 'scripts', 'parts.mjs')).href;
      const call = `const { buildPart } = await import('${parts}'); await buildPart(${JSON.stringify(folder)}, 'pages');`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', call], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      await once(child, 'close');
      if (child.exitCode !== 0) throw new Error(said);
    },
  };
}
