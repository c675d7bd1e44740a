import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

const delayIntervalMs = 100;
const delayBucketsSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * CPU, memory and event loop. Replaces the client's default metrics: their timers cannot be stopped, and unlike this
 * histogram their percentiles of the event loop delay cannot be aggregated.
 * Returns a function that stops the timer.
 */
export function registerProcessMetrics(registry: Registry): () => void {
  const registers = [registry];
  const addGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read());
      },
    });
  const addCounter = (name: string, help: string, read: () => number) =>
    new Counter({
      ...{ name, help, registers },
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  addCounter(
    'nodejs_eventloop_active_seconds_total',
    'Time during which the event loop was busy.',
    () => performance.eventLoopUtilization().active / 1000,
  );
  addCounter('process_cpu_seconds_total', 'User and system CPU time.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addGauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  addGauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  addGauge(
    'process_start_time_seconds',
    'Start time of the process, in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  );

  const delays = new Histogram({
    name: 'nodejs_eventloop_delay_seconds',
    help: 'How late a timer fired, measured ten times a second.',
    buckets: delayBucketsSeconds,
    registers,
  });
  let due = performance.now() + delayIntervalMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - due) / 1000);
    due = now + delayIntervalMs;
  }, delayIntervalMs).unref();
  return () => clearInterval(timer);
}
