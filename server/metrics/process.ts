import { performance } from 'node:perf_hooks';
import { add, type Family, type Labels, makeFamily, observe, seriesOf, setGauge } from './families.ts';

const everyMs = 100;
/** In seconds. */
const delayBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * How a process is. The delay of its event loop is how late a timer comes, ten times a second: what somebody waits
 * who asks just then. As a histogram it can be added up over processes and over time, which the percentiles of
 * `monitorEventLoopDelay` cannot.
 */
export function createProcessFamilies() {
  const delays = makeFamily(
    'histogram',
    'nodejs_eventloop_delay_seconds',
    'How late the event loop was, looked at ten times a second.',
    delayBounds,
  );
  const delay = seriesOf(delays);
  let due = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    observe(delay, delayBounds, Math.max(0, now - due) / 1000);
    due = now + everyMs;
  }, everyMs).unref();

  return {
    read(labels: Labels): Family[] {
      const { heapUsed, rss } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      return [
        delays,
        counter(
          'nodejs_eventloop_active_seconds_total',
          'Time in which the event loop had something to do.',
          performance.eventLoopUtilization().active / 1000,
        ),
        counter('process_cpu_seconds_total', 'Processor time, user and system.', (user + system) / 1e6),
        gauge('process_resident_memory_bytes', 'Memory that the process holds.', rss, labels),
        gauge('nodejs_heap_used_bytes', 'Of it, what JavaScript uses.', heapUsed, labels),
        gauge(
          'process_start_time_seconds',
          'When the process began, in seconds since 1970.',
          performance.timeOrigin / 1000,
          labels,
        ),
      ];
    },
    stop: () => clearInterval(timer),
  };
}

function counter(name: string, help: string, value: number): Family {
  const family = makeFamily('counter', name, help);
  add(seriesOf(family), value);
  return family;
}

function gauge(name: string, help: string, value: number, labels: Labels): Family {
  const family = makeFamily('gauge', name, help);
  setGauge(family, value, labels);
  return family;
}
