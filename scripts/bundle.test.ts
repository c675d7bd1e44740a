import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../tests/support/database.ts';
import { bundleProgram } from './bundle.ts';

test.each([
  ['decodeURI', '%zz'],
  ['decodeURIComponent', '%zz'],
  ['encodeURI', '\ud800'],
  ['encodeURIComponent', '\ud800'],
  ['String.fromCodePoint', '-1'],
  ['JSON.parse', '{'],
  ['new URL', 'x'],
  ['new RegExp', '('],
  ['BigInt', 'x'],
  ['atob', '?'],
])('the bundle preserves a call to %s whose only purpose is to throw', async (call, malformed) => {
  const folder = makeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = join(folder, 'source.js');
  writeFileSync(
    source,
    `export function isMalformed(text) {
       try {
         ${call}(text);
         return false;
       } catch {
         return true;
       }
     }`,
  );
  await bundleProgram({ input: [source], entryFileNames: 'built.mjs', outDir: folder });
  const built: { isMalformed: (text: string) => boolean } = await import(
    pathToFileURL(join(folder, 'built.mjs')).href
  );
  expect(built.isMalformed(malformed)).toBe(true);
});
