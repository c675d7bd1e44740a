import { readFileSync } from 'node:fs';
import { build } from 'vite';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => void vi.unstubAllEnvs());

/** Builds the router as it would be where `change` had been made to one of its files. */
async function buildWith(file: string, change: (code: string) => string): Promise<unknown> {
  return build({
    logLevel: 'silent',
    plugins: [
      {
        name: 'another-router',
        enforce: 'pre',
        load: (id) => (id.endsWith(file) ? change(readFileSync(id, 'utf8')) : undefined),
      },
    ],
    build: { write: false, rolldownOptions: { input: 'web/entry-client.tsx' } },
  });
}

test.each([
  ['lib/dom/lib.js', (code: string) => code.replaceAll('.displayName', '.title'), 'no /^\\w+\\.displayName'],
  ['lib/dom/lib.js', (code: string) => code.replaceAll('= React$1.', '= (React$1).'), 'forwardRef'],
  ['lib/router/instrumentation.js', (code: string) => `${code}\nexport const more = 1;`, 'const more'],
  [
    'lib/router/instrumentation.js',
    (code: string) => code.replace('export { ', 'export { more, '),
    'has export { more',
  ],
])('a router of which %s has changed is not built as if it had not', async (file, change, said) => {
  vi.stubEnv('NODE_ENV', 'production');
  await expect(buildWith(file, change)).rejects.toThrow(said);
});

test('a router whose files are elsewhere is not built as if they were not', async () => {
  // Its development build, which stands beside it.
  vi.stubEnv('NODE_ENV', 'development');
  await expect(buildWith('none', String)).rejects.toThrow('any more');
});
