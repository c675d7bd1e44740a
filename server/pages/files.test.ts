import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { publish } from '../../scripts/publish.ts';
import { makeFolder } from '../../tests/support/database.ts';
import { createStaticFiles } from './files.ts';

/** The static files of a running shop, and `build`, which publishes another build. */
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
  const serve = createStaticFiles(folder);
  const ask = (path: string, headers: Record<string, string> = {}) =>
    serve(path, new Request('http://shop', { headers }));
  return { root, folder, build, ask };
}

test('a running shop serves the files of a newer build and of its own', async () => {
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

test('the folder is listed again only after a build, and only for hashed names', () => {
  const { root, folder, build, ask } = openFiles();
  // No build was published, so the folder is not listed again.
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

test('a file that a later build removed is not found', () => {
  const { folder, ask } = openFiles();
  rmSync(join(folder, 'static/js/old-Aa0_-234.js'));
  expect(ask('/static/js/old-Aa0_-234.js')).toBeUndefined();
});
