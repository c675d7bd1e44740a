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

/** What a thread does, and what it asks meanwhile: a call of the contract, for the page of that number. */
export type Thread = { ready: () => void; render: (page: number, asked: Asked) => Promise<Page> };
export type Host = { ask: (page: number, name: CallName, given: CallParts) => Promise<unknown> };

export type Renderer = ReturnType<typeof createRenderer>;

type Opened = { thread: Worker; pages: BirpcReturn<Thread, Host>; underWay: number; end?: NodeJS.Timeout };

// Beside this file, as a source or built.
const program = new URL(`render-thread${extname(import.meta.url)}`, import.meta.url);

/** How many pages the first thread has under way when a second one is opened. */
const many = 4;

/** How long the second may have nothing to do before it ends, in milliseconds. */
const patience = 10_000;

/**
 * Renders the pages of the build in `root` beside the event loop: a page takes as long as several calls, which would
 * wait for it. The first of at most `most` threads, one or two, is opened by `begin` or the first page, the second while
 * pages wait for each other; one that has ended by itself is replaced when it is next wanted.
 */
export function createRenderer(root: string, most: number) {
  const threads: Opened[] = [];
  let opening: Opened | undefined;
  const asking = new Map<number, AskCall>();
  let last = 0;

  function open(): Opened {
    const cache = module.getCompileCacheDir();
    const given: Given = { root, compileCache: cache && dirname(cache) };
    const thread = new Worker(program, { name: 'pages', workerData: given });
    // It keeps nobody from ending.
    thread.unref();
    const pages = createBirpc<Thread, Host>(
      {
        async ask(page, name, parts) {
          const askCall = asking.get(page);
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
    const opened: Opened = { thread, pages, underWay: 0 };
    const close = (why: Error) => {
      forget(opened);
      pages.$close(why);
    };
    thread.once('error', (error) => close(error instanceof Error ? error : new Error(String(error))));
    thread.once('exit', () => close(new Error('A thread that renders pages has ended.')));
    return opened;
  }

  function forget(opened: Opened): void {
    if (threads.includes(opened)) threads.splice(threads.indexOf(opened), 1);
    if (opening === opened) opening = undefined;
  }

  function begin(): Opened {
    const first = open();
    threads.push(first);
    return first;
  }

  /** It takes part once it is ready: until then the first is faster. */
  async function openSecond(): Promise<void> {
    const second = open();
    opening = second;
    await second.pages.ready();
    opening = undefined;
    threads.push(second);
    second.end = setTimeout(() => {
      if (second.underWay > 0) return;
      forget(second);
      void second.thread.terminate();
    }, patience).unref();
  }

  /** The one with the fewest pages under way. */
  function choose(): Opened {
    const [first = begin(), second] = threads;
    if (second) return second.underWay < first.underWay ? second : first;
    // Where it fails, the next page that has to wait tries it again.
    if (first.underWay >= many && most > 1 && !opening) openSecond().catch(() => undefined);
    return first;
  }

  return {
    begin,
    async render(asked: Asked, askCall: AskCall): Promise<Page> {
      const opened = choose();
      const page = ++last;
      // What it asks for belongs to the request that the page is for, as in a trace of it.
      asking.set(page, AsyncLocalStorage.bind(askCall));
      opened.underWay += 1;
      try {
        return await opened.pages.render(page, asked);
      } finally {
        asking.delete(page);
        opened.underWay -= 1;
        opened.end?.refresh();
      }
    },
    async stop(): Promise<void> {
      await Promise.all([...threads, opening].map((opened) => opened?.thread.terminate()));
    },
  };
}
