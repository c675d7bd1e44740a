import { once } from 'node:events';
import { connect } from 'node:net';
import { findResponseEnd } from './answer-end.ts';
import { median } from './compare.ts';

/** Milliseconds of each question, and how many answers it takes at least. */
const [warmUp, measured, fewest] = [500, 2000, 150];

type Both<T> = { small: T; big: T };

/** Milliseconds until an answer has come, the middle of many, asked in turn: what slows the machine slows both. */
export async function measureAlternately(lines: Both<Line>, requests: Both<string[]>): Promise<Both<number>> {
  const took: Both<number[]> = { small: [], big: [] };
  const began = performance.now();
  const isRunning = () => performance.now() - began < warmUp + measured || took.big.length < fewest;
  for (let round = 0; isRunning(); round++) {
    const order = round % 2 ? (['small', 'big'] as const) : (['big', 'small'] as const);
    for (const which of order) {
      const ms = await lines[which].ask(requests[which][round % requests[which].length] ?? '');
      if (performance.now() - began > warmUp) took[which].push(ms);
    }
  }
  return { small: median(took.small), big: median(took.big) };
}

type Line = Awaited<ReturnType<typeof openConnection>>;

/** One connection, on which one request waits for the answer to the last. */
export async function openConnection(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return {
    async ask(request: string): Promise<number> {
      const began = performance.now();
      socket.write(request);
      let read: Buffer = Buffer.alloc(0);
      for (let end: number | undefined; end === undefined || end > read.length; end = findResponseEnd(read)) {
        const [chunk]: Buffer[] = await once(socket, 'data');
        read = Buffer.concat([read, chunk ?? Buffer.alloc(0)]);
      }
      if (read.toString('latin1', 9, 12) !== '200') throw new Error(read.toString());
      return performance.now() - began;
    },
    close: () => socket.destroy(),
  };
}
