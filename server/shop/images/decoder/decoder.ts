import { ShopError } from '../../../../contract/errors.ts';
import { type DecoderLimits, defaultResourceLimits } from '../../../config/resource-limits.ts';
import { type DecoderProcess, startDecoderProcess } from './decoder-process.ts';
import { retryLater } from './rejections.ts';

export type Decoder = ReturnType<typeof createDecoder>;

/** Two, so that one slow image does not delay the others. */
const maxProcesses = 2;

/** How long decoding time counts against its user: the window of the upload rate limit. */
const usedWindowMs = 10 * 60_000;

/** Receives a function that removes the image from the queue, then undefined once decoding starts. */
type SetCancel = (cancel: ((error: Error) => void) | undefined) => void;

type Job = {
  user: string;
  file: Uint8Array;
  isAvif: boolean;
  startedAt: number;
  isOverdue: boolean;
  setCancel: SetCancel;
} & PromiseWithResolvers<Uint8Array[]>;
type Worker = { process: DecoderProcess; job: Job | undefined; idle: NodeJS.Timeout };

/**
 * Decodes images outside the server's process, so that the worst image costs one killed process. A user has one image decoded at a
 * time. Users who have used less time go first, then smaller files. AVIF needs by far the most memory and time, so only one AVIF
 * is decoded at a time. That leaves a process for the other formats.
 */
export function createDecoder(limits: DecoderLimits = defaultResourceLimits.decoder) {
  const workers = new Set<Worker>();
  const waiting = new Set<Job>();
  /** Decoding time per user within `usedWindowMs`. */
  const usedMs = new Map<string, number>();
  let stopped = false;

  function open(): Worker {
    const worker: Worker = {
      process: startDecoderProcess(() => {
        clearTimeout(worker.idle);
        workers.delete(worker);
      }),
      job: undefined,
      idle: setTimeout(() => worker.job ?? worker.process.kill(stopping()), limits.idleMs).unref(),
    };
    workers.add(worker);
    return worker;
  }

  const listRunning = () => [...workers].flatMap(({ job }) => job ?? []);

  function charge(user: string, ms: number): void {
    const total = (usedMs.get(user) ?? 0) + ms;
    if (total === 0) usedMs.delete(user);
    else usedMs.set(user, total);
  }

  /** Includes the user's running job. */
  function getUsedMs(user: string): number {
    const running = listRunning().find((job) => job.user === user);
    return (usedMs.get(user) ?? 0) + (running ? performance.now() - running.startedAt : 0);
  }

  function chooseNext(): Job | undefined {
    const running = listRunning();
    // Coarser than milliseconds, so that a small file still goes first if its user has used slightly more time.
    const shares = ({ user }: Job) => Math.floor(getUsedMs(user) / limits.sharedTimeoutMs);
    return [...waiting]
      .filter((job) => mayRunBeside(job, running))
      .toSorted(
        (a, b) =>
          shares(a) - shares(b) || a.file.length - b.file.length || getUsedMs(a.user) - getUsedMs(b.user),
      )[0];
  }

  /** Kills an overdue job if a job of a user who has used less time can replace it. */
  function preempt(): void {
    const running = listRunning();
    const overdue = [...workers].find(({ job }) => {
      if (!job?.isOverdue) return false;
      const others = running.filter((other) => other !== job);
      return [...waiting].some(
        (next) =>
          next.user !== job.user && getUsedMs(next.user) < getUsedMs(job.user) && mayRunBeside(next, others),
      );
    });
    const detail =
      'This image is slow to process, and others are waiting. Try again shortly, or save it smaller.';
    overdue?.process.kill(retryLater(detail, 10));
  }

  function startWaiting(): void {
    for (let job = chooseNext(); job; job = chooseNext()) {
      const free = [...workers].find((worker) => !worker.job);
      if (!free && workers.size >= maxProcesses) break;
      waiting.delete(job);
      job.resolve(run(job, free));
    }
    preempt();
  }

  /** Rejects if `open` throws, too. */
  async function run(job: Job, worker = open()): Promise<Uint8Array[]> {
    worker.job = job;
    job.startedAt = performance.now();
    job.setCancel(undefined);
    // Repeated, because other users' times change.
    const overdue = setInterval(() => {
      job.isOverdue = true;
      startWaiting();
    }, limits.sharedTimeoutMs);
    const timeout = setTimeout(() => worker.process.kill(timedOut()), limits.timeoutMs);
    const maxRssBytes = job.isAvif ? limits.avifRssBytes : limits.otherRssBytes;
    try {
      return await worker.process.decode({ file: job.file, maxRssBytes });
    } finally {
      clearInterval(overdue);
      clearTimeout(timeout);
      worker.job = undefined;
      if (workers.has(worker)) worker.idle.refresh();
      const ms = Math.round(performance.now() - job.startedAt);
      charge(job.user, ms);
      setTimeout(() => charge(job.user, -ms), usedWindowMs).unref();
      startWaiting();
    }
  }

  return {
    /** Starts a process if there is none, so that it is ready when the upload has arrived. */
    prepare(): void {
      if (workers.size === 0 && !stopped) open();
    },
    /** The image in every width. Throws `wrong_type`, `too_large`, or `unavailable` if the client should retry. */
    async decode(user: string, file: Uint8Array, setCancel: SetCancel = () => undefined) {
      if (stopped) throw stopping();
      const result = Promise.withResolvers<Uint8Array[]>();
      const job = { user, file, isAvif: isHeif(file), startedAt: 0, isOverdue: false, setCancel, ...result };
      waiting.add(job);
      setCancel((error) => {
        waiting.delete(job);
        result.reject(error);
      });
      startWaiting();
      return result.promise;
    },
    async stop(): Promise<void> {
      stopped = true;
      for (const { reject } of waiting) reject(stopping());
      waiting.clear();
      const processes = [...workers].map(({ process }) => process);
      for (const process of processes) process.kill(stopping());
      await Promise.all(processes.map(({ exited }) => exited));
    },
  };
}

/** At most one job per user and one AVIF in total run at a time. */
function mayRunBeside({ user, isAvif }: Job, running: Job[]): boolean {
  return !running.some((other) => other.user === user || (isAvif && other.isAvif));
}

/** HEIF is the container of AVIF. */
const isHeif = (file: Uint8Array): boolean => Buffer.from(file.subarray(4, 8)).toString('latin1') === 'ftyp';

/** A 415, not a 503: a retry would take as long, but another format may help. */
const timedOut = (): ShopError =>
  new ShopError('wrong_type', 'This image takes too long to process. Please save it smaller, or as a JPEG.');

const stopping = (): ShopError => retryLater('The shop is restarting. Try again shortly.', 2);
