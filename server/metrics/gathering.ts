import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { addUp, type Family } from './families.ts';

/**
 * Of several workers behind one port each counts its own, and a scrape reaches one of them, by chance. That one asks
 * the first process for what all have counted (`collect`, answered by `collected`), which asks each (`give`, `given`).
 */
type Message = {
  metrics?: 'collect' | 'collected' | 'give' | 'given';
  of?: string | undefined;
  families?: Family[];
};

/** A worker that says nothing for so long stands in with what it gave before. */
const patienceMs = 1000;

export const workerLabel = (): Record<string, string> =>
  cluster.worker ? { worker: `${cluster.worker.id}` } : {};

/** In a process that serves: `collect` gives what all of them counted, where there are others. */
export function joinOthers(read: () => Family[]) {
  if (!cluster.worker) return { collect: async () => read(), stop: () => undefined };
  const waiting = new Map<string, (families: Family[]) => void>();
  const tell = (message: Message) => process.send?.(message, () => undefined);
  const hear = ({ metrics, of = '', families = [] }: Message): void => {
    if (metrics === 'give') tell({ metrics: 'given', families: read() });
    if (metrics !== 'collected') return;
    waiting.get(of)?.(families);
    waiting.delete(of);
  };
  process.on('message', hear);
  return {
    collect: () =>
      new Promise<Family[]>((resolve) => {
        const of = randomUUID();
        waiting.set(of, resolve);
        tell({ metrics: 'collect', of });
      }),
    /** What it has counted does not go with it. */
    stop(): void {
      process.off('message', hear);
      tell({ metrics: 'given', families: read() });
    },
  };
}

/** In the first process: asks its workers, for whichever of them is asked. Give it each worker that starts. */
export function createGathering(): (worker: Worker) => void {
  const last = new Map<Worker, Family[]>();
  /** Of workers that have ended: without them a counter would fall. */
  let gone: Family[] = [];
  let gathering: Promise<Family[]> | undefined;
  let heard: (worker: Worker) => void = () => undefined;

  async function gather(): Promise<Family[]> {
    const asked = new Set([...last.keys()].filter((worker) => worker.isConnected()));
    const all = new Promise<void>((resolve) => {
      heard = (worker) => {
        asked.delete(worker);
        if (asked.size === 0) resolve();
      };
    });
    for (const worker of asked) tell(worker, { metrics: 'give' });
    await Promise.race([all, setTimeout(patienceMs, undefined, { ref: false })]);
    return addUp([...gone, ...[...last.values()].flat()]);
  }

  return (worker) => {
    last.set(worker, []);
    worker.on('message', ({ metrics, of, families = [] }: Message) => {
      if (metrics === 'given') {
        last.set(worker, families);
        heard(worker);
      }
      if (metrics !== 'collect') return;
      gathering ??= gather().finally(() => {
        gathering = undefined;
      });
      void gathering.then((whole) => tell(worker, { metrics: 'collected', of, families: whole }));
    });
    worker.on('exit', () => {
      const counted = (last.get(worker) ?? []).filter(({ type }) => type !== 'gauge');
      gone = addUp([...gone, ...counted]);
      last.delete(worker);
      heard(worker);
    });
  };
}

function tell(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
