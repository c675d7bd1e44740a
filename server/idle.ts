import { performance } from 'node:perf_hooks';

/** How often it is looked at, in milliseconds, and what share of that time a thread may work that counts as idle. */
const interval = 5_000;
const idle = 0.05;

/**
 * Collects the garbage of this thread once it has nothing to do after it was busy. V8 goes by how fast memory is taken,
 * which it learns only as it collects: a shop that nobody asks any more would keep what its busiest hour left it, a
 * quarter of its memory.
 */
export function collectWhenIdle(): void {
  let since = performance.eventLoopUtilization();
  let wasBusy = false;
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(since);
    since = performance.eventLoopUtilization();
    if (utilization > idle) wasBusy = true;
    else if (wasBusy) {
      wasBusy = false;
      collect().catch(() => undefined);
    }
  }, interval).unref();
}

/** Takes some 40 ms (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/#method-collectGarbage). */
async function collect(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
