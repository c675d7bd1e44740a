import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Resolves for one caller at a time, ten iterations of the event loop after the previous caller. Otherwise, jobs that do not wait
 * for I/O, such as reads from SQLite, would run one after another without a pause. Node accepts only one connection per iteration,
 * so ten iterations let ten clients connect, and an idle iteration takes microseconds.
 */
export function yieldToEventLoop(): Promise<unknown> {
  last = last.then(async () => {
    for (let iteration = 0; iteration < 10; iteration++) await setImmediate();
  });
  return last;
}
