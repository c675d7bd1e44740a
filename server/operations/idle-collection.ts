import { performance } from 'node:perf_hooks';

const checkIntervalMs = 5_000;
/** A thread whose event loop is active for less than this share of the interval counts as idle. */
const idleUtilization = 0.05;

/** V8 shrinks its heap only when it collects garbage. Without this, an idle shop would keep the memory of its busiest hour. */
export function collectWhenIdle(): void {
  let last = performance.eventLoopUtilization();
  let wasBusy = false;
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last);
    last = performance.eventLoopUtilization();
    if (utilization > idleUtilization) wasBusy = true;
    else if (wasBusy) {
      wasBusy = false;
      try {
        collect();
      } catch {
        // Without the inspector, the heap only stays large.
      }
    }
  }, checkIntervalMs).unref();
}

/** Takes about 40 ms (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/#method-collectGarbage). */
function collect(): void {
  // Loaded on first use, so that the shop starts faster.
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
