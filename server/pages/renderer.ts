import module from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FixedQueue, Piscina } from 'piscina';
import type { LoadedPage, LoadResult, Manifest, PageRequest, PagesEntry } from '../../contract/pages.ts';
import { loadOnce } from '../config/load-once.ts';
import type { Encoding } from '../http/encoding.ts';
import type { RenderResult, RenderTask, ThreadData } from './render-thread.ts';

export type Renderer = ReturnType<typeof createRenderer>;

// The build renames this file (`scripts/bundle.ts`).
const worker = new URL('render-thread.ts', import.meta.url);

/** Longer than the database timeout. */
const renderTimeoutMs = 60_000;
const idleThreadMs = 10_000;

type Pool = Piscina<RenderTask, RenderResult>;

type Options = {
  root: string;
  manifest: Manifest;
  maxThreads: number;
  /** Called when an idle thread fails. */
  report: (error: unknown) => void;
  /** Called when a page writes to the console; the error has the stack. */
  reportOutput: (error: Error) => void;
};

/**
 * Loads pages on the main thread and renders them in a thread pool, since rendering takes longer than several API calls.
 * One thread always runs; others start while pages wait and stop when idle. A thread that dies or hangs is replaced.
 */
export function createRenderer({ root, manifest, maxThreads, report, reportOutput }: Options) {
  const entry = pathToFileURL(join(root, 'server', manifest.server)).href;
  const loadEntry = loadOnce((): Promise<PagesEntry> => import(entry));
  let pool: Pool | undefined;
  let stopped = false;

  function openPool(): Pool {
    if (stopped) throw new Error('The shop has stopped.');
    if (pool) return pool;
    const cache = module.getCompileCacheDir();
    const workerData: ThreadData = { entry, manifest, compileCache: cache && dirname(cache) };
    pool = new Piscina({
      filename: worker.href,
      minThreads: 1,
      maxThreads,
      idleTimeout: idleThreadMs,
      workerData,
      // Threads must not see the settings: some are secret.
      env: {},
      // Piscina then loads the file with `import`. Node ends the process with SIGABRT if a thread ends while `require` loads an ES
      // module, for example because the database is unreachable and the start fails.
      execArgv: ['--no-require-module'],
      // When every thread has this many pages, another thread starts.
      concurrentTasksPerWorker: 4,
      // Piscina's default queue is shared by all pools of the process.
      taskQueue: new FixedQueue(),
      stricterFIFO: true,
      // Otherwise an idle thread blocks its event loop and cannot collect garbage.
      atomics: 'disabled',
      recordTiming: false,
    });
    return pool.on('error', report).on('message', reportOutput);
  }

  /** Fails the pages in progress. The next page opens a new pool. */
  async function closePool(threads: Pool): Promise<void> {
    if (pool === threads) pool = undefined;
    await threads.destroy();
  }

  return {
    /** Loads the pages' code ahead of the first page, which reports a failure. */
    warmUp(): void {
      openPool();
      loadEntry().catch(() => undefined);
    },
    load: async (request: PageRequest): Promise<LoadResult> => (await loadEntry()).load(request),
    async render(page: LoadedPage, encoding: Encoding): Promise<RenderResult> {
      const threads = openPool();
      // As JSON, which takes half the time of a structured clone.
      const task = { page: JSON.stringify(page), encoding };
      // Not an abort signal: with one, Piscina gives a thread only one task at a time and queues tasks out of order.
      const timer = setTimeout(() => void closePool(threads), renderTimeoutMs);
      return threads.run(task).finally(() => clearTimeout(timer));
    },
    async stop(): Promise<void> {
      stopped = true;
      if (pool) await closePool(pool);
    },
  };
}
