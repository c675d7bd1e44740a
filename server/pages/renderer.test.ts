import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Manifest } from '../../contract/pages.ts';
import { makeFolder } from '../../tests/support/database.ts';
import { type Asked, createRenderer } from './renderer.ts';

const settings: Asked['settings'] = {
  origin: 'https://shop.example',
  apiBase: '/api',
  imageUploadUrl: '/1/upload',
  stripePublishableKey: '',
  stripeJsUrl: '',
  currency: undefined,
  chargedCurrency: 'USD',
  sandbox: true,
  google: false,
};

/** Threads that make pages by `render`, the source of a function, in place of the build's. */
function open(render: string, most: number) {
  const root = makeFolder();
  const manifest: Manifest = {
    ...{ entry: '', font: '', styles: '', stylesHash: '' },
    ...{ pages: {}, paths: {}, files: {} },
  };
  writeFileSync(join(root, 'manifest.json'), JSON.stringify(manifest));
  mkdirSync(join(root, 'server'));
  writeFileSync(
    join(root, 'server/entry-server.js'),
    `import { threadId } from 'node:worker_threads';
     export const render = async (page) => ({ status: 200, takesCards: false, html: String(await (${render})(page)) });`,
  );
  const renderer = createRenderer(root, most);
  onTestFinished(async () => {
    await renderer.stop();
    rmSync(root, { recursive: true });
  });
  return async (path = '/', askCall: Parameters<typeof renderer.render>[1] = () => expect.unreachable()) => {
    const url = `https://shop.example${path}`;
    const asked: Asked = {
      settings,
      url,
      requestId: '',
      viewer: undefined,
      anonymous: false,
      encoding: 'identity',
    };
    return new TextDecoder().decode((await renderer.render(asked, askCall)).body);
  };
}

/** Takes 20 ms of a processor, as no page does. */
const slowly =
  '() => { const end = performance.now() + 20; while (performance.now() < end); return threadId; }';

/** How many threads made these pages. */
const countThreads = (pages: string[]) => new Set(pages).size;

test('a thread that ends by itself fails its pages, and the next page is made by another', async () => {
  const page = open("({ url }) => { if (url.endsWith('/end')) process.exit(); return threadId; }", 1);
  const first = await page();
  await expect(page('/end')).rejects.toThrow('has ended');
  expect(await page()).not.toBe(first);
});

test('what a page asks for is asked as a part of its request, and what is refused reaches it', async () => {
  const page = open(
    "({ askCall }) => askCall('listProducts', { query: { limit: 1 } }).then(({ answer }) => answer, ({ status }) => status)",
    1,
  );
  const current = new AsyncLocalStorage<string>();
  const asked: unknown[] = [];
  const ask = (request: string) =>
    current.run(request, () =>
      page('/', async (name, given) => {
        asked.push([current.getStore(), name, given]);
        throw { status: 418 };
      }),
    );
  expect(await Promise.all([ask('one'), ask('two')])).toEqual(['418', '418']);
  const given = { params: {}, query: { limit: 1 } };
  expect(asked).toEqual([
    ['one', 'listProducts', given],
    ['two', 'listProducts', given],
  ]);
});

test('while pages wait for each other a second thread helps, and ends when it has nothing to do', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const page = open(slowly, 2);
  const many = () => Promise.all(Array.from({ length: 8 }, () => page()));
  // It takes part once it is ready.
  let threads = 0;
  for (; threads < 2; threads = countThreads(await many()));
  vi.advanceTimersByTime(10_000);
  expect(countThreads(await many())).toBe(1);
});

test('where one is all there may be, pages wait', async () => {
  const page = open(slowly, 1);
  for (let round = 0; round < 4; round++)
    expect(countThreads(await Promise.all(Array.from({ length: 8 }, () => page())))).toBe(1);
});
