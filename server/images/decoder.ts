import { ShopError } from '../errors.ts';
import type { EncodedPicture } from './addresses.ts';
import { type DecoderLimits, decoderLimits } from './decoder-limits.ts';
import { type DecoderProcess, startDecoderProcess } from './decoder-process.ts';
import { recognize } from './strip/strip.ts';

export type Decoder = ReturnType<typeof createDecoder>;

/** With two, a slow image does not delay the others. */
const maxProcesses = 2;

type Job = {
  user: string;
  file: Uint8Array;
  isAvif: boolean;
  isOverdue: boolean;
} & PromiseWithResolvers<EncodedPicture>;
type Worker = { process: DecoderProcess; job: Job | undefined; idle: NodeJS.Timeout };

/**
 * Decodes images outside the server's process, so that the worst image costs one killed process. A user has one image
 * decoded at a time, and users who have used the least time go first. AVIF needs by far the most memory and time: one
 * at a time, so that a process is left for the other formats.
 */
export function createDecoder(limits: DecoderLimits = decoderLimits) {
  const workers: Worker[] = [];
  const waiting: Job[] = [];
  /** Milliseconds per user, since all processes were last free. */
  const used = new Map<string, number>();
  let stopped = false;

  function open(): Worker {
    const worker: Worker = {
      process: startDecoderProcess(() => {
        clearTimeout(worker.idle);
        workers.splice(workers.indexOf(worker), 1);
      }),
      job: undefined,
      idle: setTimeout(() => worker.job ?? worker.process.kill(stopping()), limits.idleMs).unref(),
    };
    workers.push(worker);
    return worker;
  }

  const listRunning = () => workers.flatMap(({ job }) => job ?? []);

  function chooseNext(): Job | undefined {
    const running = listRunning();
    const ready = waiting.filter(
      ({ user, isAvif }) => !running.some((other) => other.user === user || (isAvif && other.isAvif)),
    );
    return ready.toSorted((a, b) => (used.get(a.user) ?? 0) - (used.get(b.user) ?? 0))[0];
  }

  function startWaiting(): void {
    for (let job = chooseNext(); job; job = chooseNext()) {
      const free = workers.find((worker) => !worker.job);
      if (!free && workers.length >= maxProcesses) break;
      waiting.splice(waiting.indexOf(job), 1);
      try {
        void run(free ?? open(), job);
      } catch (error) {
        // No process could be started.
        job.reject(error);
      }
    }
    for (const { process, job } of [...workers]) {
      if (job?.isOverdue && waiting.some(({ user }) => user !== job.user)) process.kill(gaveWay());
    }
  }

  async function run(worker: Worker, job: Job): Promise<void> {
    worker.job = job;
    const startedAt = performance.now();
    const overdue = setTimeout(() => {
      job.isOverdue = true;
      startWaiting();
    }, limits.sharedTimeoutMs);
    const timeout = setTimeout(() => worker.process.kill(tookTooLong()), limits.timeoutMs);
    const maxRssBytes = job.isAvif ? limits.avifRssBytes : limits.otherRssBytes;
    await worker.process.decode({ file: job.file, maxRssBytes }).then(job.resolve, job.reject);
    clearTimeout(overdue);
    clearTimeout(timeout);
    worker.job = undefined;
    if (workers.includes(worker)) worker.idle.refresh();
    used.set(job.user, (used.get(job.user) ?? 0) + performance.now() - startedAt);
    if (waiting.length === 0 && listRunning().length === 0) used.clear();
    startWaiting();
  }

  return {
    /** Starts a process if there is none, so that it is ready when the image has arrived. */
    prepare(): void {
      if (workers.length === 0 && !stopped) open();
    },
    /** Throws `wrong_type`, `too_large`, or `unavailable` if it makes sense to try again. */
    async decode(user: string, file: Uint8Array): Promise<EncodedPicture> {
      if (stopped) throw stopping();
      const result = Promise.withResolvers<EncodedPicture>();
      waiting.push({ user, file, isAvif: recognize(file) === 'heif', isOverdue: false, ...result });
      startWaiting();
      return result.promise;
    },
    async stop(): Promise<void> {
      stopped = true;
      for (const { reject } of waiting.splice(0)) reject(stopping());
      const open = workers.map(({ process }) => process);
      for (const process of open) process.kill(stopping());
      await Promise.all(open.map(({ exited }) => exited));
    },
  };
}

function tookTooLong(): ShopError {
  return new ShopError(
    'wrong_type',
    'This picture takes too long to process. Please save it smaller, or as a JPEG.',
  );
}

function gaveWay(): ShopError {
  return new ShopError(
    'unavailable',
    'This picture is slow to process, and others are waiting. Try again shortly, or save it smaller.',
    { retryAfter: 10 },
  );
}

function stopping(): ShopError {
  return new ShopError('unavailable', 'The shop is closing for a moment. Try again shortly.', {
    retryAfter: 2,
  });
}
