import { setTimeout } from 'node:timers/promises';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Client } from '../../web/client/api/client.ts';
import { auditMoney, readBooks } from '../support/auditor.ts';
import {
  addProduct,
  adjustStock,
  deleteProduct,
  refundOrder,
  shipOrder,
  workAtDesk,
} from './admin-actions.ts';
import * as customerActions from './customer-actions.ts';
import { compareWithLedger } from './differences.ts';
import { createLedger } from './ledger.ts';
import { answerDispute, readSecretKey, refundAtProvider } from './provider-actions.ts';
import { createRandom, type Random } from './random.ts';
import { authenticate, createClientAt } from './requests.ts';
import { type ProcessSettings, type ShopProcesses, spawnShops } from './shop-process.ts';
import { letTimePass } from './time.ts';

type TortureResult = {
  kills: number;
  answered: number;
  unanswered: number;
  orders: number;
  refunds: number;
  starts: number[];
};

/** Concurrent customers. */
const customerCount = 8;
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
  const ledger = createLedger();
  const origin = `http://127.0.0.1:${settings[0].PORT}`;
  const starts: number[] = [];
  let killed = 0;
  let shop: ShopProcesses | undefined;
  let admin: Client | undefined;

  async function open(): Promise<ShopProcesses> {
    const began = performance.now();
    const started = spawnShops(...settings);
    shop = started;
    await started.open();
    starts.push(performance.now() - began);
    return started;
  }

  async function killDuringStart(): Promise<ShopProcesses> {
    // This also hits migrations and the first periodic work.
    const opening = spawnShops(...settings);
    shop = opening;
    await setTimeout(random.below(1200));
    await opening.kill();
    killed += 1;
    return open();
  }

  const compare = (client: Client) => compareWithLedger(place, ledger, origin, client);

  /** Stops the shop, lets time pass, and compares once the periodic work of the next start has settled what is open. */
  async function compareSettled(client: Client): Promise<string[]> {
    await shop?.stop();
    await letTimePass(place, ledger);
    const { errors } = await open();
    let unsettled: string[] = [];
    for (const until = Date.now() + 30_000; Date.now() < until; await setTimeout(100)) {
      unsettled = auditMoney(await readBooks(place));
      if (unsettled.length === 0) break;
    }
    return [...unsettled, ...(await compare(client)), ...errors()];
  }

  try {
    let running = await killDuringStart();
    admin = await signInAsAdmin(origin);
    const products = (await admin.list('listProducts', {})).rows;
    for (const { _id, a_quantity } of products)
      ledger.products.set(_id, { stock: a_quantity, allowed: new Set(['on-sale']), seeded: true });
    ledger.images.push(...products.slice(0, 1).map(({ img }) => img));
    let requests = 0;
    const context: customerActions.LoadContext = {
      /** Alternates between the processes. */
      get origin() {
        const { PORT } = settings[requests++ % settings.length] ?? settings[0];
        return `http://127.0.0.1:${PORT}`;
      },
      random,
      ledger,
      products,
      secretKey: await readSecretKey(place),
    };
    for (let at = 0; at < 4; at++) await customerActions.signUpCustomer(context);

    while (killed < kills) {
      // The first load lasts long enough to place orders.
      const fewest = killed === 1 ? 50 : 0;
      const target = ledger.answered + fewest + random.below(maxResponsesPerKill);
      await runLoad(context, admin, async () => {
        const until = Date.now() + 5000;
        while (ledger.answered < target && Date.now() < until) await setTimeout(random.below(20));
        await running.kill();
      });
      killed += 1;
      const errors = running.errors();
      running = random.chance(0.2) && killed < kills ? await killDuringStart() : await open();
      const isSettlement = killed % killsPerSettlement === 0 || killed >= kills;
      const differences = [
        ...errors,
        ...(await compare(admin)),
        ...(isSettlement ? await compareSettled(admin) : []),
      ];
      running = shop ?? running;
      report(
        `kill ${killed}: ${ledger.answered} answered requests, ${ledger.unanswered} without a response, ${ledger.orders.size} orders, ${ledger.refunds.size} refunds`,
      );
      if (differences.length > 0)
        throw new Error(`After kill ${killed} of seed ${seed}:\n${differences.join('\n')}`);
    }
  } finally {
    await shop?.kill();
  }
  const { answered, unanswered, orders, refunds } = ledger;
  const sizes = { orders: orders.size, refunds: refunds.size };
  return { kills: killed, answered, unanswered, ...sizes, starts };
}

/** Lets customers and an admin act concurrently until `end` has killed the shop. */
export async function runLoad(
  context: customerActions.LoadContext,
  admin: Client,
  end: () => Promise<void>,
): Promise<void> {
  let ended = false;
  const repeat = async (choose: (random: Random) => Promise<void>) => {
    while (!ended) await choose(context.random);
  };
  const people = Array.from({ length: customerCount }, () =>
    repeat((random) => actAsCustomer(context, random)),
  );
  const all = [...people, repeat((random) => actAsAdmin(context, admin, random))];
  await end();
  ended = true;
  await Promise.all(all);
}

async function actAsCustomer(context: customerActions.LoadContext, random: Random): Promise<void> {
  // Only the newest few: payments per user are rate-limited.
  const customer = random.pick(context.ledger.customers.slice(-6));
  if (!customer || random.chance(0.04)) return customerActions.signUpCustomer(context);
  const action = random.pick([
    customerActions.placeRandomOrder,
    customerActions.placeRandomOrder,
    customerActions.placeRandomPurchase,
    customerActions.placeRandomPurchase,
    customerActions.payOrder,
    customerActions.payOrder,
    customerActions.payOrder,
    customerActions.deleteOrder,
    customerActions.saveProfile,
    customerActions.addReview,
    customerActions.uploadImage,
    customerActions.repeatWrite,
  ]);
  await action?.(context, customer);
}

async function actAsAdmin(
  context: customerActions.LoadContext,
  admin: Client,
  random: Random,
): Promise<void> {
  const [img = ''] = context.ledger.images;
  if (random.chance(0.2)) return adjustStock(context, admin);
  if (random.chance(0.4)) return refundOrder(context, admin);
  if (random.chance(0.3)) return workAtDesk(context, admin);
  if (random.chance(0.2)) return refundAtProvider(context);
  if (random.chance(0.1)) return answerDispute(context);
  if (random.chance(0.7)) return shipOrder(context, admin);
  if (random.chance(0.7)) return addProduct(context, admin, img);
  await deleteProduct(context, admin);
}

export async function signInAsAdmin(origin: string): Promise<Client> {
  const credentials = { name: '', email: 'admin@example.com', password: 'clockwork' };
  return createClientAt(origin, '10.0.0.1', await authenticate(origin, '10.0.0.1', 'sign-in', credentials));
}
