import { setImmediate } from 'node:timers';
import { setImmediate as nextIteration } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves for one caller at a time, ten iterations of the event loop after the previous caller. Otherwise, jobs that do not wait
 * for I/O, such as reads from SQLite, would run one after another without a pause. Ten, because Node accepts only one connection
 * per iteration, and an idle iteration takes microseconds.
 */
export function yieldToEventLoop(): Promise<unknown> {
  last = last.then(async () => {
    for (let iteration = 0; iteration < 10; iteration++) await nextIteration();
  });
  return last;
}

/** How long the requests that start in the same iteration may take together. */
const maxIterationMs = 5;
let iterationBegan: number | undefined;

/**
 * Waits like `yieldToEventLoop` if the callers of this iteration of the event loop have taken long enough together. On SQLite, most
 * requests are answered before the next socket is read: without a pause, each of a hundred open connections would be answered once
 * before Node accepts another one.
 */
export async function shareIteration(): Promise<void> {
  if (iterationBegan === undefined) {
    iterationBegan = performance.now();
    setImmediate(() => {
      iterationBegan = undefined;
    });
  } else if (performance.now() - iterationBegan > maxIterationMs) await yieldToEventLoop();
}
