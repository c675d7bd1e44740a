import { AsyncLocalStorage } from 'node:async_hooks';
import module from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BirpcReturn, createBirpc } from 'birpc';
import type { AskCall, FormActions, Manifest } from '../../contract/pages.ts';
import { type Asked, type Given, type Host, type Page, passOn, type Thread } from './messages.ts';

export type Renderer = ReturnType<typeof createRenderer>;

type Opened = { thread: Worker; pages: BirpcReturn<Thread, Host>; underWay: number; end?: NodeJS.Timeout };

// Beside this file; the build has another name for it (`scripts/bundle.ts`).
const program = new URL('render-thread.ts', import.meta.url);

/** How many pages the first thread has under way when a second one is opened. */
const many = 4;

/** How long the second may have nothing to do before it ends, in milliseconds. */
const patience = 10_000;

/** How long a page may take, in milliseconds: longer than the database may be silent. Its thread ends with it. */
const timeout = 60_000;

type Options = {
  /** The folder of the build. */
  root: string;
  manifest: Manifest;
  /** Whether a second thread may help the first. */
  mayHelp: boolean;
  /** Told why a second thread could not be opened. */
  report: (error: unknown) => void;
  /** Called when a page writes to the console; the error's stack says where. */
  reportOutput: (place: Error) => void;
};

/**
 * Renders pages beside the event loop: a page takes as long as several calls, which would wait for it. The first thread
 * is opened by `begin` or the first page, the second while pages wait for each other; one that has ended by itself is
 * replaced when it is next wanted.
 */
export function createRenderer({ root, manifest, mayHelp, report, reportOutput }: Options) {
  const threads: Opened[] = [];
  let stopped = false;
  let opening: Opened | undefined;
  const asking = new Map<number, { askCall: AskCall; actions: FormActions | undefined }>();
  let last = 0;

  function find(page: number) {
    const found = asking.get(page);
    if (!found) throw new Error('The page is over.');
    return found;
  }

  function findActions(page: number): FormActions {
    const { actions } = find(page);
    if (!actions) throw new Error('No form was posted to this page, so it may not change anything.');
    return actions;
  }

  function open(): Opened {
    if (stopped) throw new Error('The shop has stopped.');
    const cache = module.getCompileCacheDir();
    const given: Given = { root, manifest, compileCache: cache && dirname(cache) };
    // Of the settings, and the secrets among them, it needs none.
    const thread = new Worker(program, { name: 'pages', workerData: given, env: {} });
    // It keeps nobody from ending.
    thread.unref();
    const pages = createBirpc<Thread, Host>(
      {
        ask: async (page, name, parts) => find(page).askCall(name, parts),
        callForForm: async (page, name, parts) => findActions(page).call(name, parts),
        askIdentity: async (page, path, body) => findActions(page).askIdentity(path, body),
        reportOutput,
      },
      {
        post: (message) => thread.postMessage(message),
        on: (hear) => thread.on('message', hear),
        timeout,
        onTimeoutError: () => void thread.terminate(),
        onGeneralError: passOn,
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
      // The first has ended by itself, and this one is it now.
      if (second.underWay > 0 || second === threads[0]) return;
      forget(second);
      void second.thread.terminate();
    }, patience).unref();
  }

  /** The one with the fewest pages under way. */
  function choose(): Opened {
    const [first = begin(), second] = threads;
    if (second) return second.underWay < first.underWay ? second : first;
    // Where it fails, the next page that has to wait tries it again.
    if (first.underWay >= many && mayHelp && !opening) openSecond().catch((why) => stopped || report(why));
    return first;
  }

  return {
    begin,
    /** `actions` are what the form that was posted to the page may do. */
    async render(asked: Asked, askCall: AskCall, actions?: FormActions): Promise<Page> {
      const opened = choose();
      const page = ++last;
      // What it asks for belongs to the request that the page is for, as in a trace of it.
      asking.set(page, {
        askCall: AsyncLocalStorage.bind(askCall),
        actions: actions && {
          call: AsyncLocalStorage.bind(actions.call),
          askIdentity: AsyncLocalStorage.bind(actions.askIdentity),
        },
      });
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
      stopped = true;
      await Promise.all([...threads, opening].map((opened) => opened?.thread.terminate()));
    },
  };
}
