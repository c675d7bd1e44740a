import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AskCall, Manifest } from '../../contract/pages.ts';
import { makeFolder } from '../../tests/support/database.ts';
import type { Asked } from './messages.ts';
import { createRenderer } from './renderer.ts';

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

/** Threads that make pages by the function in `source`, in place of the build's. */
function open(source: string, mayHelp = false) {
  const root = makeFolder();
  const manifest: Manifest = {
    ...{ entry: '', server: 'entry.js', font: '', styles: '', stylesHash: '' },
    ...{ pages: {}, paths: {}, files: {} },
  };
  mkdirSync(join(root, 'server'));
  writeFileSync(
    join(root, 'server/entry.js'),
    `import { threadId } from 'node:worker_threads';
     export const render = async (page) => {
       const made = await (${source})(page);
       return { status: 200, takesCards: false, ...(made.html ? made : { html: String(made) }) };
     };`,
  );
  const report = () => expect.unreachable();
  const output: Error[] = [];
  const reportOutput = (place: Error) => void output.push(place);
  const renderer = createRenderer({ root, manifest, mayHelp, report, reportOutput });
  onTestFinished(async () => {
    await renderer.stop();
    rmSync(root, { recursive: true });
  });
  const render = (path: string, askCall: AskCall) => {
    const url = `https://shop.example${path}`;
    return renderer.render(
      { settings, url, requestId: '', viewer: undefined, encoding: 'identity' },
      askCall,
    );
  };
  return {
    output,
    stop: renderer.stop,
    render: (path: string) => render(path, () => expect.unreachable()),
    page: async (path = '/', askCall: AskCall = () => expect.unreachable()) =>
      new TextDecoder().decode((await render(path, askCall)).body),
  };
}

/** Takes 20 ms of a processor, as no page does. */
const slowly =
  '() => { const end = performance.now() + 20; while (performance.now() < end); return threadId; }';

/** How many threads made these pages. */
const countThreads = (pages: string[]) => new Set(pages).size;

test('a thread that ends by itself fails its pages, and the next page is made by another', async () => {
  const { page } = open("({ url }) => { if (url.endsWith('/end')) process.exit(); return threadId; }");
  const first = await page();
  await expect(page('/end')).rejects.toThrow('has ended');
  expect(await page()).not.toBe(first);
});

test('an error for the log that cannot be sent is described, and what a page fails with is told in any case', async () => {
  const { page, render } = open("() => ({ html: 'sorry', error: new Error('deep', { cause: () => 1 }) })");
  expect(await page()).toBe('sorry');
  expect((await render('/')).error).toMatch(/^Error: deep/);
  const failing = open('() => Promise.reject(() => 1)');
  await expect(failing.page()).rejects.toMatch('Function');
});

test.each(['console.warn', 'console.log', 'process.stderr.write'])(
  'a page that calls %s reports where, but not what it wrote',
  async (write) => {
    const { page, output } = open(`({ url }) => ${write}('Cannot read ' + url) ?? 'done'`);
    await page('/someone@example.com');
    expect(output).toHaveLength(1);
    expect(output[0]?.stack).toContain('entry.js');
    expect(output[0]?.stack).not.toContain('someone');
  },
);

test('what a page asks for is asked as a part of its request, and what is refused reaches it', async () => {
  const { page } = open(
    "({ askCall }) => askCall('listProducts', { query: { limit: 1 } }).then(({ answer }) => answer, ({ status }) => status)",
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
  const { page } = open(slowly, true);
  const many = () => Promise.all(Array.from({ length: 8 }, () => page()));
  // It takes part once it is ready.
  let threads = 0;
  for (; threads < 2; threads = countThreads(await many()));
  vi.advanceTimersByTime(10_000);
  expect(countThreads(await many())).toBe(1);
});

test('where one is all there may be, pages wait', async () => {
  const { page } = open(slowly);
  for (let round = 0; round < 4; round++)
    expect(countThreads(await Promise.all(Array.from({ length: 8 }, () => page())))).toBe(1);
});

test('a stop ends the threads and opens none', async () => {
  const { page, stop } = open('() => new Promise(() => undefined)');
  const waiting = expect(page()).rejects.toThrow('has ended');
  await stop();
  await waiting;
  await expect(page()).rejects.toThrow('The shop has stopped.');
});
