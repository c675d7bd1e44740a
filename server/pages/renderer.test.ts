import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { emptyFrame, type LoadedPage, type Manifest } from '../../contract/pages.ts';
import { makeFolder } from '../../tests/support/database.ts';
import { waitUntil } from '../../tests/support/wait.ts';
import { createRenderer } from './renderer.ts';

const page: LoadedPage = {
  url: '',
  requestId: '',
  viewer: undefined,
  settings: {
    origin: 'https://shop.example',
    apiBase: '/api',
    imageUploadUrl: '/1/upload',
    stripePublishableKey: '',
    stripeJsUrl: '',
    currency: undefined,
    chargedCurrency: 'USD',
    sandbox: true,
    google: false,
    sendsMail: true,
    orderRetentionYears: 10,
  },
  frame: emptyFrame,
  status: 200,
  takesCards: false,
  hasToken: false,
  location: { pathname: '/', search: '', hash: '', state: null, key: 'default' },
  matches: [],
  loaderData: {},
  actionData: undefined,
  errors: undefined,
};

/** A renderer whose threads render with the function in `source` instead of the build's. */
function openRenderer(source: string, maxThreads = 1) {
  const root = makeFolder();
  const manifest: Manifest = {
    entry: '',
    server: 'entry.js',
    mail: '',
    font: '',
    styles: '',
    stylesHash: '',
    pages: {},
    paths: {},
    files: {},
  };
  mkdirSync(join(root, 'server'));
  writeFileSync(
    join(root, 'server/entry.js'),
    `import { threadId } from 'node:worker_threads';
     export const render = async (page) => {
       const result = await (${source})(page);
       return { status: 200, ...(result.html ? result : { html: String(result) }) };
     };`,
  );
  const report = () => expect.unreachable();
  const output: Error[] = [];
  const reportOutput = (error: Error) => void output.push(error);
  const renderer = createRenderer({ root, manifest, maxThreads, report, reportOutput });
  onTestFinished(async () => {
    await renderer.stop();
    rmSync(root, { recursive: true });
  });
  const render = (url = '/') => renderer.render({ ...page, url }, 'identity');
  return {
    output,
    stop: renderer.stop,
    render,
    renderText: async (url?: string) => new TextDecoder().decode((await render(url)).body),
  };
}

/** Keeps a processor busy for 20 ms, far longer than a page does. */
const renderSlowly =
  '() => { const end = performance.now() + 20; while (performance.now() < end); return threadId; }';

const countThreads = (pages: string[]) => new Set(pages).size;

test('a thread that exits fails its page, and another thread renders the next', async () => {
  const { renderText } = openRenderer(
    "({ url }) => { if (url === '/exit') process.exit(); return threadId; }",
  );
  const first = await renderText();
  await expect(renderText('/exit')).rejects.toThrow('exited');
  expect(await renderText()).not.toBe(first);
});

test('a page that hangs fails after a minute, and another thread renders the next', async () => {
  const { renderText } = openRenderer("({ url }) => { while (url === '/hang'); return threadId; }");
  const first = await renderText();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = expect(renderText('/hang')).rejects.toThrow('Terminating worker thread');
  vi.advanceTimersByTime(60_000);
  await failed;
  expect(await renderText()).not.toBe(first);
});

test('an error that cannot be cloned is sent as text', async () => {
  const { render, renderText } = openRenderer(
    "() => ({ html: 'sorry', error: new Error('deep', { cause: () => 1 }) })",
  );
  expect(await renderText()).toBe('sorry');
  expect((await render()).error).toMatch(/^Error: deep/);
  const failing = openRenderer('() => Promise.reject(() => 1)');
  await expect(failing.render()).rejects.toMatch('Function');
});

test.each(['console.warn', 'console.log', 'process.stderr.write'])(
  'a page that calls %s reports where, but not what it wrote',
  async (write) => {
    const { renderText, output } = openRenderer(`({ url }) => ${write}('Cannot read ' + url) ?? 'done'`);
    await renderText('/someone@example.com');
    await waitUntil(() => expect(output).toHaveLength(1));
    expect(output[0]?.stack).toContain('entry.js');
    expect(output[0]?.stack).not.toContain('someone');
  },
);

test('threads do not see the environment', async () => {
  expect(process.env.PATH).not.toBeUndefined();
  const { renderText } = openRenderer('() => JSON.stringify(process.env)');
  expect(await renderText()).toBe('{}');
});

test('a second thread starts while pages wait, and stops when idle', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { renderText } = openRenderer(renderSlowly, 2);
  const renderMany = () => Promise.all(Array.from({ length: 8 }, () => renderText()));
  let threads = 0;
  for (; threads < 2; threads = countThreads(await renderMany()));
  vi.advanceTimersByTime(10_000);
  expect(countThreads([await renderText(), await renderText(), await renderText()])).toBe(1);
});

test('pages wait when the pool is at its maximum', async () => {
  const { renderText } = openRenderer(renderSlowly);
  for (let round = 0; round < 4; round++)
    expect(countThreads(await Promise.all(Array.from({ length: 8 }, () => renderText())))).toBe(1);
});

test('stopping terminates the threads and starts no more', async () => {
  const { render, stop } = openRenderer('() => new Promise(() => undefined)');
  const waiting = expect(render()).rejects.toThrow('Terminating worker thread');
  await stop();
  await waiting;
  await expect(render()).rejects.toThrow('The shop has stopped.');
});
