import cluster, { type Worker } from 'node:cluster';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { createGathering } from './metrics/gathering.ts';
import { endSignals } from './signals.ts';

type Message = { open?: string; asked?: Question /** How the one before it ended. */; ended?: string };

/** In a worker: tells the first process that the shop is open, in the sentence for the shopkeeper. */
export function reportOpen(sentence: string): void {
  if (cluster.isWorker) process.send?.({ open: sentence });
  else process.stdout.write(`${sentence}\n`);
}

/** Somebody has asked one of the workers at `/readyz`, and may have been `told` that it stops. */
export type Question = { asker: string; told: boolean };

/** In a worker: `hear` is given what the others are asked. What it is asked itself goes to the function that it gives. */
export function shareQuestions(hear: (question: Question) => void): (question: Question) => void {
  if (!cluster.isWorker) return () => undefined;
  process.on('message', ({ asked }: Message) => void (asked && hear(asked)));
  return (asked) => void process.send?.({ asked }, () => undefined);
}

/** In a worker: logs that it came for one that ended by itself, as one does that the system kills for its memory. */
export function tellReplaced(log: Logger): void {
  if (!cluster.isWorker) return;
  process.on('message', ({ ended }: Message) => {
    if (ended !== undefined) log.error({ ended }, 'a process of the shop ended, and another took its place');
  });
}

/**
 * Runs `count` processes of the shop behind one port (`WEB_CONCURRENCY`), where this is the first process; a
 * worker that dies is replaced. False in a worker, which is to run the shop itself.
 */
export function runWorkers(count: number): boolean {
  if (count === 1 || cluster.isWorker) return false;
  let stopping = false;
  let opened = 0;
  let sentence = '';
  const cache = getCompileCacheDir();
  const settings = cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
  const gatherFrom = createGathering();
  const startWorker = (ended?: string): void => {
    let isOpen = false;
    const worker = cluster.fork(settings);
    gatherFrom(worker);
    worker.on('message', ({ open, asked }: Message) => {
      if (asked) for (const other of workers()) if (other !== worker) other.send({ asked }, () => undefined);
      if (open === undefined) return;
      isOpen = true;
      opened += 1;
      if (ended !== undefined) worker.send({ ended });
      // The others wait for the first: what keeps the shop from starting is said once, and the first alone knows the
      // new passwords of the demo people.
      if (opened === 1) {
        sentence = open;
        for (let more = 1; more < count; more++) startWorker();
      }
      if (opened === count) process.stdout.write(`${sentence}\n`);
    });
    worker.on('exit', (code, signal) => {
      if (stopping) return;
      // The first has said why it cannot start; another one could not either. Later ones may find the
      // database away, and come again.
      if (opened === 0) process.exit(code || 1);
      setTimeout(startWorker, isOpen ? 0 : 1000, signal ?? `exit code ${code}`);
    });
  };
  startWorker();

  for (const signal of endSignals) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      void Promise.all(workers().map((worker) => end(worker, signal))).then(() => process.exit(0));
    });
  }
  return true;
}

const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

function end(worker: Worker, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.process.kill(signal);
  });
}
