import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { publish } from '../../scripts/publish.ts';
import { makeFolder } from '../../tests/support/database.ts';
import { createStaticFiles } from './files.ts';

/** The files of a running shop, and builds that are published beside it. */
function openFiles() {
  const root = makeFolder();
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'web');
  const build = (...paths: string[]) => {
    const stage = join(root, 'next');
    mkdirSync(join(stage, 'static', 'js'), { recursive: true });
    for (const path of paths) {
      writeFileSync(join(stage, path), path);
      writeFileSync(join(stage, `${path}.br`), brotliCompressSync(path));
    }
    publish(stage, folder);
  };
  build('static/js/old-Aa0_-234.js');
  const file = createStaticFiles(folder);
  const ask = (path: string, headers: Record<string, string> = {}) =>
    file(path, new Request('http://shop', { headers }));
  return { root, folder, build, ask };
}

test('what a later build published is served by a shop that was running before, and the earlier files still are', async () => {
  const { build, ask } = openFiles();
  expect(ask('/static/js/new-Aa0_-234.js')).toBeUndefined();
  build('static/js/new-Aa0_-234.js', 'static/icon-Aa0_-234.svg');
  const found = ask('/static/js/new-Aa0_-234.js');
  expect(await found?.text()).toBe('static/js/new-Aa0_-234.js');
  expect(found?.headers.get('cache-control')).toContain('immutable');
  expect(
    ask('/static/js/new-Aa0_-234.js', { 'accept-encoding': 'br' })?.headers.get('content-encoding'),
  ).toBe('br');
  expect(ask('/static/icon-Aa0_-234.svg')?.status).toBe(200);
  expect(ask('/static/js/old-Aa0_-234.js')?.status).toBe(200);
  build('static/js/third-Aa0_-234.js');
  expect(ask('/static/js/third-Aa0_-234.js')?.status).toBe(200);
});

test('a miss looks into the folder only when a build was published, and only for a name that a build gives', () => {
  const { root, folder, build, ask } = openFiles();
  // Nobody lists the folder for a miss: what was put there by hand is not found.
  writeFileSync(join(folder, 'static/js/put-Aa0_-234.js'), '');
  expect(ask('/static/js/put-Aa0_-234.js')).toBeUndefined();
  build('static/js/plain.js', 'static/js/new-Aa0_-234.js');
  writeFileSync(join(root, 'out-Aa0_-234.js'), '');
  for (const path of [
    '/static/js/plain.js',
    '/static/../../out-Aa0_-234.js',
    '/static/js/../../../out-Aa0_-234.js',
    '/static/js/..%2f..%2f..%2fout-Aa0_-234.js',
    '/static/js/new-Aa0_-234.js/',
    '//static/js/new-Aa0_-234.js',
  ])
    expect([path, ask(path)]).toEqual([path, undefined]);
  expect(ask('/static/js/new-Aa0_-234.js')?.status).toBe(200);
});

test('a file that a later build has removed is not there', () => {
  const { folder, ask } = openFiles();
  rmSync(join(folder, 'static/js/old-Aa0_-234.js'));
  expect(ask('/static/js/old-Aa0_-234.js')).toBeUndefined();
});
