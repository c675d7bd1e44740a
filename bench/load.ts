import { connect, type Socket } from 'node:net';
import { findResponseEnd } from './answer-end.ts';

/**
 * The load generator, a process of its own (`generator.ts` starts it): keeps connections open and sends the
 * next request on each as soon as the last was answered, or `rate` a second in all, on whichever is free. It
 * reads no more of an answer than where that ends, so that it never is what is measured.
 */
export type Load = {
  port: number;
  /** If set, the connections are spread over these ports instead. */
  ports?: number[];
  /** Whole requests, as they go over the wire, sent in turn. */
  requests: string[];
  connections: number;
  milliseconds: number;
  rate?: number;
};

/** `p50` and `p99` in milliseconds; `wrong` are answers of 400 or more. */
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
  const took: number[] = [];
  const sockets: Socket[] = [];
  const free: (() => void)[] = [];
  let next = 0;
  let wrong = 0;
  let firstWrong: string | undefined;
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
      took.push(performance.now() - sent);
      if (Number(pending.toString('latin1', 9, 12)) >= 400) {
        wrong += 1;
        firstWrong ??= pending.toString();
      }
      pending = pending.subarray(end);
      if (!running) return;
      if (load.rate === undefined) send();
      else free.push(send);
    });
    if (load.rate === undefined) socket.once('connect', send);
    else free.push(send);
    return promise;
  }

  const started = performance.now();
  const ports = load.ports ?? [load.port];
  await Promise.all(
    Array.from({ length: load.connections }, (_, at) => open(ports[at % ports.length] ?? load.port)),
  );
  if (load.rate !== undefined) pace(load.rate, free, () => running);
  await new Promise((resolve) => setTimeout(resolve, load.milliseconds));
  running = false;
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    responses: took.length,
    failed: wrong,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    ...(firstWrong ? { firstFailure: firstWrong } : {}),
  };
}

/** Sends `rate` requests a second, evenly, whether or not earlier ones were answered. */
function pace(rate: number, free: (() => void)[], running: () => boolean): void {
  const started = performance.now();
  let sent = 0;
  const step = () => {
    const due = ((performance.now() - started) / 1000) * rate;
    for (; sent < due && free.length > 0; sent++) free.shift()?.();
    // No oftener: a generator that is always awake takes a processor from the server.
    if (running()) setTimeout(step, 1);
  };
  step();
}

process.on('message', (load: Load) => void run(load).then((measured) => process.send?.(measured)));
