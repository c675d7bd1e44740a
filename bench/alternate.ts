import { once } from 'node:events';
import { connect } from 'node:net';
import { median } from './compare.ts';
import { findResponseEnd } from './response-end.ts';

const [warmUpMs, measureMs, minSamples] = [500, 2000, 150];

type Both<T> = { small: T; big: T };

/** Median response times in milliseconds. Requests alternate, so other load on the machine slows both servers. */
export async function measureAlternately(
  connections: Both<Connection>,
  requests: Both<string[]>,
): Promise<Both<number>> {
  const samples: Both<number[]> = { small: [], big: [] };
  const startedAt = performance.now();
  const isRunning = () =>
    performance.now() - startedAt < warmUpMs + measureMs || samples.big.length < minSamples;
  for (let round = 0; isRunning(); round++) {
    const order = round % 2 ? (['small', 'big'] as const) : (['big', 'small'] as const);
    for (const size of order) {
      const ms = await connections[size].send(requests[size][round % requests[size].length] ?? '');
      if (performance.now() - startedAt > warmUpMs) samples[size].push(ms);
    }
  }
  return { small: median(samples.small), big: median(samples.big) };
}

type Connection = Awaited<ReturnType<typeof openConnection>>;

/** One connection that sends one request at a time. */
export async function openConnection(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return {
    /** Returns the response time in milliseconds. */
    async send(request: string): Promise<number> {
      const startedAt = performance.now();
      socket.write(request);
      let received: Buffer = Buffer.alloc(0);
      for (
        let end: number | undefined;
        end === undefined || end > received.length;
        end = findResponseEnd(received)
      ) {
        const [chunk]: Buffer[] = await once(socket, 'data');
        received = Buffer.concat([received, chunk ?? Buffer.alloc(0)]);
      }
      if (received.toString('latin1', 9, 12) !== '200') throw new Error(received.toString());
      return performance.now() - startedAt;
    },
    close: () => socket.destroy(),
  };
}
