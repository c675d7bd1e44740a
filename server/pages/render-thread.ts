import module from 'node:module';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { LoadedPage, Manifest, PagesEntry, RenderedPage } from '../../contract/pages.ts';
import { loadOnce } from '../config/load-once.ts';
import { type Encoding, encodeSync } from '../http/encoding.ts';
import { collectWhenIdle } from '../operations/idle-collection.ts';

/** `entry` is the URL of the pages' server entry. */
export type ThreadData = { entry: string; manifest: Manifest; compileCache: string | undefined };
/** `page` is a `LoadedPage` as JSON. */
export type RenderTask = { page: string; encoding: Encoding };
export type RenderResult = Omit<RenderedPage, 'html'> & { body: Uint8Array<ArrayBuffer> };

const { entry, manifest, compileCache }: ThreadData = workerData;
if (compileCache) module.enableCompileCache(compileCache);

const loadEntry = loadOnce((): Promise<PagesEntry> => import(entry));
// Load ahead of the first page, which reports a failure.
loadEntry().catch(() => undefined);

// The log is JSON, and a library's warning may quote visitor input: report only the stack.
for (const output of [process.stdout, process.stderr])
  output.write = () => {
    parentPort?.postMessage(new Error('a page wrote to the console'));
    return true;
  };

export default async function renderPage({ page: json, encoding }: RenderTask): Promise<RenderResult> {
  try {
    const page: LoadedPage = JSON.parse(json);
    const { render } = await loadEntry();
    const { html, error, ...rest } = await render(page, manifest);
    const rendered = { ...rest, body: encodeSync(html, encoding) };
    return error === undefined ? rendered : { ...rendered, error: toCloneable(error) };
  } catch (error) {
    throw toCloneable(error);
  }
}

/** An error that cannot be sent to another thread is sent as text. */
function toCloneable(error: unknown): unknown {
  try {
    return structuredClone(error);
  } catch {
    return inspect(error);
  }
}

collectWhenIdle();
