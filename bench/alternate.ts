import { once } from 'node:events';
import { connect } from 'node:net';
import { median } from './compare.ts';
import { waitForPeriodicWork } from './filled-shop.ts';
import { findResponseEnd } from './response-end.ts';
import { type BenchShop, openShop, type ShopOptions } from './shop.ts';

const runs = 5;
const [warmUpRounds, rounds] = [50, 100];

/** How many requests are sent to a process under each name. */
export const requestsPerName = warmUpRounds + rounds;

type Size = 'small' | 'big';
type Both<T> = Record<Size, T>;
/**
 * Response times in milliseconds. A run's ratio is the big shop's median divided by the small shop's. `ratio` is the median of the
 * runs' ratios.
 */
export type Comparison = Both<number[]> & { ratio: number };

/**
 * Compares the response times of two shops. Requests alternate between them, so other load on the machine slows both. Each shop
 * is started five times, because two processes with the same code and data can differ in speed by half. `buildRequests` returns
 * the requests for each name, which are sent in turn. `afterwards` is called while the last two processes still run.
 */
export async function compareShops<T>(
  options: Both<ShopOptions>,
  buildRequests: (shop: BenchShop, size: Size) => Promise<Map<string, readonly string[]>>,
  afterwards: (shops: Both<BenchShop>) => Promise<T>,
): Promise<{ comparisons: Map<string, Comparison>; afterwards: T }> {
  const measured = new Map<string, Both<number[]>[]>();
  for (let run = 1; ; run++) {
    await using stack = new AsyncDisposableStack();
    const open = async (one: ShopOptions) => {
      const startedAt = Date.now();
      const shop = stack.adopt(await openShop(one), (opened) => opened.close());
      await waitForPeriodicWork(shop, startedAt);
      return shop;
    };
    const shops = { small: await open(options.small), big: await open(options.big) };
    const requests = {
      small: await buildRequests(shops.small, 'small'),
      big: await buildRequests(shops.big, 'big'),
    };
    for (const [name, big] of requests.big) {
      const small = requests.small.get(name);
      if (!small) throw new Error(`The small shop has no requests for ${name}.`);
      const samples = await alternate(shops, { small, big });
      measured.getOrInsert(name, []).push(samples);
    }
    if (run === runs) return { comparisons: summarize(measured), afterwards: await afterwards(shops) };
  }
}

async function alternate(shops: Both<BenchShop>, requests: Both<readonly string[]>): Promise<Both<number[]>> {
  const connections = {
    small: await openConnection(shops.small.port),
    big: await openConnection(shops.big.port),
  };
  const samples: Both<number[]> = { small: [], big: [] };
  for (let round = 0; round < requestsPerName; round++)
    for (const size of round % 2 ? (['small', 'big'] as const) : (['big', 'small'] as const)) {
      const ms = await connections[size].send(requests[size][round % requests[size].length] ?? '');
      if (round >= warmUpRounds) samples[size].push(ms);
    }
  connections.small.close();
  connections.big.close();
  return samples;
}

const summarize = (measured: Map<string, Both<number[]>[]>): Map<string, Comparison> =>
  new Map(
    [...measured].map(([name, samples]) => {
      const all = (size: Size) => samples.flatMap((each) => each[size]);
      const ratio = median(samples.map(({ small, big }) => median(big) / median(small)));
      return [name, { ratio, small: all('small'), big: all('big') }];
    }),
  );

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
