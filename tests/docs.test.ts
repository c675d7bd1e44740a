import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = new Set(['node_modules', 'dist', 'data', '.git', '.vitest']);

const files = readdirSync(root, { withFileTypes: true })
  .filter((entry) => !generated.has(entry.name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(root, entry.name), { recursive: true, withFileTypes: true })
          .filter((inner) => inner.isFile())
          .map((inner) => join(inner.parentPath, inner.name).slice(root.length))
      : [entry.name],
  );
const pages = files.filter((file) => file === 'README.md' || /^docs[/\\].*\.md$/.test(file));
const names = new Set(files.map((file) => basename(file)));
const folders = new Set(readdirSync(root));
const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('names only commands that exist', () => {
    const mentioned = [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    expect(mentioned.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('names only paths that exist', () => {
    const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span ?? '').filter(isPath);
    const links = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, link]) => link ?? '');
    const missing = [
      ...spans.filter((path) => !existsSync(join(root, path)) && !names.has(path)),
      ...links.filter((path) => !existsSync(join(root, dirname(page), path))),
    ];
    expect(missing).toEqual([]);
  });
});

/** Whether a code span is a path of this repository, not a route, type or value. */
function isPath(span: string): boolean {
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(span) || generated.has(span.split('/')[0] ?? '')) return false;
  const [first = '', second] = span.split('/');
  return second === undefined ? /\w\.(tsx?|mjs|md|css)$/.test(span) : folders.has(first);
}

test('no file contains a path outside the repository', () => {
  // Home and workspace folders exist on one machine only.
  const absolutePath = /(?<![\w.~-])\/(home|root|Users|work|workspace|mnt)\/\w|\bshared[/]\w/;
  const texts = files.filter((file) => /\.(tsx?|m?js|json|md|css|html|ya?ml|sql|sh)$|[/\\]run$/.test(file));
  expect(texts.filter((file) => absolutePath.test(read(file)))).toEqual([]);
});
