import { setTimeout } from 'node:timers/promises';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { compareSettled, compareWithLedger } from '../load/comparison.ts';
import { connectTo, createLoad, runLoad, signInAsAdmin } from '../load/load.ts';
import { readSecretKey } from '../load/provider-actions.ts';
import { createRandom } from '../load/random.ts';
import { allWorkers } from '../load/workers.ts';
import { type ProcessSettings, type ShopProcesses, spawnShops } from './shop-process.ts';

type TortureResult = {
  kills: number;
  answered: number;
  unanswered: number;
  orders: number;
  refunds: number;
  starts: number[];
};

const maxResponsesPerKill = 300;
/** After this many kills, open orders and payments are settled and compared. */
const killsPerSettlement = 5;

/**
 * Starts the real shop on an empty `place`, puts it under load, kills it with SIGKILL at a random moment, restarts it, and
 * compares its data with the ledger; `kills` times. Several `settings` start several processes, which receive
 * requests in turn and are killed together. Throws with all differences and the seed.
 */
export async function killRepeatedly(options: {
  place: DatabaseLocation;
  settings: [ProcessSettings, ...ProcessSettings[]];
  kills: number;
  seed: number;
  report?: (line: string) => void;
}): Promise<TortureResult> {
  const { place, settings, kills, seed, report = () => undefined } = options;
  const random = createRandom(seed);
  const targets = settings.map(({ PORT }) => ({ origin: `http://127.0.0.1:${PORT}` }));
  const origin = `http://127.0.0.1:${settings[0].PORT}`;
  const starts: number[] = [];
  let killed = 0;
  let shop: ShopProcesses | undefined;

  async function open(): Promise<ShopProcesses> {
    const began = performance.now();
    const started = spawnShops(...settings);
    shop = started;
    await started.open();
    starts.push(performance.now() - began);
    return started;
  }

  async function killDuringStart(): Promise<ShopProcesses> {
    // A kill during the start also interrupts migrations and the first periodic work.
    const opening = spawnShops(...settings);
    shop = opening;
    await setTimeout(random.below(1200));
    await opening.kill();
    killed += 1;
    return open();
  }

  try {
    let running = await killDuringStart();
    const load = await createLoad({
      seed: random.below(2 ** 32),
      connect: connectTo(targets),
      admins: [await signInAsAdmin(origin)],
      provider: { origin, secretKey: await readSecretKey(place), fetch },
    });
    const { ledger } = load;

    while (killed < kills) {
      // The first load lasts long enough to place orders.
      const fewest = killed === 1 ? 50 : 0;
      const target = ledger.answered + fewest + random.below(maxResponsesPerKill);
      await runLoad(load, allWorkers, async () => {
        const until = Date.now() + 5000;
        while (ledger.answered < target && Date.now() < until) await setTimeout(random.below(20));
        await running.kill();
      });
      killed += 1;
      const errors = running.errors();
      running = random.chance(0.2) && killed < kills ? await killDuringStart() : await open();
      const isSettlement = killed % killsPerSettlement === 0 || killed >= kills;
      const differences = [...errors, ...(await compareWithLedger(place, load))];
      if (isSettlement) {
        await running.stop();
        differences.push(...(await compareSettled(place, load, async () => (running = await open()))));
        differences.push(...running.errors());
      }
      report(
        `kill ${killed}: ${ledger.answered} answered requests, ${ledger.unanswered} without a response, ${ledger.orders.size} orders, ${ledger.refunds.size} refunds`,
      );
      if (differences.length > 0)
        throw new Error(`After kill ${killed} of seed ${seed}:\n${differences.join('\n')}`);
    }
    const { answered, unanswered, orders, refunds } = ledger;
    const sizes = { orders: orders.size, refunds: refunds.size };
    return { kills: killed, answered, unanswered, ...sizes, starts };
  } finally {
    await shop?.kill();
  }
}
