import { AsyncLocalStorage } from 'node:async_hooks';
import module from 'node:module';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BirpcReturn, createBirpc } from 'birpc';
import type { AskCall, CallParts, RenderedPage, Viewer, WebSettings } from '../../contract/pages.ts';
import type { CallName } from '../../contract/paths.ts';
import type { Encoding } from '../encoding.ts';

/** What the thread begins with: the folder of the build, and where Node keeps compiled code, if it does. */
export type Given = { root: string; compileCache: string | undefined };

/** What one page is made with, beside what its loaders ask for. */
export type Asked = {
  settings: WebSettings;
  url: string;
  requestId: string;
  viewer: Viewer | undefined;
  anonymous: boolean;
  encoding: Encoding;
};

/** A page as it goes out, in UTF-8: compressed, but for one that is kept (`kept.ts` compresses it). */
export type Page = Omit<RenderedPage, 'html'> & { body: Uint8Array<ArrayBuffer> };

/** What the thread does, and what it asks meanwhile: a call of the contract, for the page of that number. */
export type Thread = { render: (page: number, asked: Asked) => Promise<Page> };
export type Host = { ask: (page: number, name: CallName, given: CallParts) => Promise<unknown> };

export type Renderer = ReturnType<typeof createRenderer>;

// Beside this file, as a source or built.
const program = new URL(`render-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Renders the pages of the build in `root`, in a thread of its own: a page takes as long as several calls, which would
 * wait for it. The thread is opened by `begin` or the first page, and anew by the next page where it has ended by
 * itself.
 */
export function createRenderer(root: string) {
  let opened: { thread: Worker; pages: BirpcReturn<Thread, Host> } | undefined;
  const underWay = new Map<number, AskCall>();
  let last = 0;

  function open() {
    const cache = module.getCompileCacheDir();
    const given: Given = { root, compileCache: cache && dirname(cache) };
    const thread = new Worker(program, { name: 'pages', workerData: given });
    // It keeps nobody from ending.
    thread.unref();
    const pages = createBirpc<Thread, Host>(
      {
        async ask(page, name, parts) {
          const askCall = underWay.get(page);
          if (!askCall) throw new Error('The page is over.');
          return askCall(name, parts);
        },
      },
      {
        post: (message) => thread.postMessage(message),
        on: (hear) => thread.on('message', hear),
        timeout: -1,
      },
    );
    const end = (why: Error) => {
      if (opened?.thread === thread) opened = undefined;
      pages.$close(why);
    };
    thread.once('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
    thread.once('exit', () => end(new Error('The thread that renders the pages has ended.')));
    return { thread, pages };
  }

  const begin = () => (opened ??= open());

  return {
    begin,
    async render(asked: Asked, askCall: AskCall): Promise<Page> {
      const page = ++last;
      // What it asks for belongs to the request that the page is for, as in a trace of it.
      underWay.set(page, AsyncLocalStorage.bind(askCall));
      try {
        return await begin().pages.render(page, asked);
      } finally {
        underWay.delete(page);
      }
    },
    async stop(): Promise<void> {
      await opened?.thread.terminate();
    },
  };
}
