import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { findResponseEnd } from './response-end.ts';

/**
 * The load generator, a child process that `generator.ts` starts. It sends the next request on each open connection as
 * soon as the previous response has arrived, or `rate` requests per second on idle connections. It parses responses only
 * to find their end, so that it is not the bottleneck.
 */
export type Load = {
  port: number;
  /** If set, the connections are spread over these ports instead. */
  ports?: number[];
  /** Raw HTTP requests, sent in rotation. */
  requests: string[];
  connections: number;
  milliseconds: number;
  rate?: number;
};

/** If no response has arrived by the end of the run, the generator waits at most this much longer for the first one. */
const maxWaitMs = 10_000;

/** `p50` and `p99` are in milliseconds; `failed` counts responses with a status of 400 or more. */
export type LoadResult = {
  responses: number;
  failed: number;
  seconds: number;
  p50: number;
  p99: number;
  firstFailure?: string;
};

async function run(load: Load): Promise<LoadResult> {
  const requests = load.requests.map((request) => Buffer.from(request));
  const latencies: number[] = [];
  const sockets: Socket[] = [];
  const idle: (() => void)[] = [];
  const answered = Promise.withResolvers<void>();
  let next = 0;
  let failed = 0;
  let firstFailure: string | undefined;
  let running = true;

  function open(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, resolve);
    sockets.push(socket);
    let pending: Buffer = Buffer.alloc(0);
    let sent = 0;
    const send = () => {
      sent = performance.now();
      socket.write(requests[next++ % requests.length] ?? '');
    };
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
      const end = findResponseEnd(pending);
      if (end === undefined || end > pending.length) return;
      latencies.push(performance.now() - sent);
      answered.resolve();
      if (Number(pending.toString('latin1', 9, 12)) >= 400) {
        failed += 1;
        firstFailure ??= pending.toString();
      }
      pending = pending.subarray(end);
      if (!running) return;
      if (load.rate === undefined) send();
      else idle.push(send);
    });
    if (load.rate === undefined) socket.once('connect', send);
    else idle.push(send);
    return promise;
  }

  const started = performance.now();
  const ports = load.ports ?? [load.port];
  await Promise.all(
    Array.from({ length: load.connections }, (_, index) => open(ports[index % ports.length] ?? load.port)),
  );
  if (load.rate !== undefined) pace(load.rate, idle, () => running);
  await setTimeout(load.milliseconds);
  // The first responses of a server that has just started may take longer than a round.
  await Promise.race([answered.promise, setTimeout(maxWaitMs)]);
  running = false;
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    responses: latencies.length,
    failed,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    ...(firstFailure ? { firstFailure } : {}),
  };
}

/** Sends `rate` requests per second at even intervals, whether or not earlier ones have been answered. */
function pace(rate: number, idle: (() => void)[], running: () => boolean): void {
  const started = performance.now();
  let sent = 0;
  const step = () => {
    const due = ((performance.now() - started) / 1000) * rate;
    for (; sent < due && idle.length > 0; sent++) idle.shift()?.();
    // Polling without a pause would take CPU time from the server.
    if (running()) void setTimeout(1).then(step);
  };
  step();
}

process.on('message', (load: Load) => void run(load).then((measured) => process.send?.(measured)));
