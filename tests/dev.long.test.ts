import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from './support/database.ts';
import { findFreePort } from './support/port.ts';
import { runProgram } from './support/server.ts';
import { waitUntil } from './support/wait.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A copy of the sources, which the test changes. */
let copy: string;

beforeEach(() => {
  copy = makeFolder();
  for (const name of ['contract', 'sandbox', 'scripts', 'seed', 'server', 'tests', 'web'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  for (const name of ['package.json', 'package-lock.json', 'vite.config.ts', 'vitest.config.ts'])
    cpSync(join(root, name), join(copy, name));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

test('npm run dev serves each change, and the last build that succeeded after an error', {
  timeout: 180_000,
}, async () => {
  const PORT = `${await findFreePort()}`;
  const script = join(copy, 'scripts/run.mjs');
  const dev = runProgram(process.execPath, [script, '--dev', 'scripts/dev/dev.ts'], { PORT }, copy);
  const readHome = async () => (await fetch(`http://localhost:${PORT}/`)).text();
  const waitForHome = (text: string) => waitUntil(async () => expect(await readHome()).toContain(text));
  await waitForHome('A sample form.');
  // The script that reloads open pages.
  expect(await readHome()).toContain('/static/js/reload-');

  change(
    'server/pages/pages.ts',
    'sendsMail,\n    ...',
    "sendsMail,\n    unusedForm: 'A form in development.',\n    ...",
  );
  await waitForHome('A form in development.');
  change('web/pages/home.tsx', 'Hand tools for the repair of clocks', 'Tools in development');
  await waitForHome('Tools in development');

  change('web/pages/home.tsx', 'Tools in development', '</Broken');
  await waitUntil(() => expect(dev.output.err).toMatch(/home\.tsx:\d+/));
  expect(await readHome()).toContain('Tools in development');
  change('web/pages/home.tsx', '</Broken', 'Tools that work');
  await waitForHome('Tools that work');

  change(
    'server/main.ts',
    'async function main',
    "throw new Error('The start fails.');\nasync function main",
  );
  await waitUntil(() => expect(dev.output.err).toContain('It starts again after the next change.'));
  change('server/main.ts', "throw new Error('The start fails.');\n", '');
  await waitForHome('Tools that work');

  await dev.kill('SIGINT');
  await expect(readHome()).rejects.toThrow();
});

test('npm test -- NAME builds nothing for a test of one module, and says if no path contains the name', async () => {
  const run = (name: string) =>
    runProgram(process.execPath, [join(copy, 'scripts/run.mjs'), '--dev', 'scripts/test.ts', name], {}, copy)
      .ended;
  const { code, out } = await run('contract/money');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/money\.test\.ts/) });
  expect(existsSync(join(copy, 'dist/manifest.json'))).toBe(false);
  expect(await run('no-such-test')).toMatchObject({
    code: 1,
    err: expect.stringContaining('“no-such-test”'),
  });
});

/** Replaces all occurrences of a text in a file. */
function change(file: string, text: string, replacement: string): void {
  const path = join(copy, file);
  const content = readFileSync(path, 'utf8');
  expect(content).toContain(text);
  writeFileSync(path, content.replaceAll(text, replacement));
}
