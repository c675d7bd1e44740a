import { setTimeout } from 'node:timers/promises';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Client } from '../../web/client/client.ts';
import { auditBooks, auditMoney, readBooks } from '../support/auditor.ts';
import { addProduct, deleteProduct, ship } from './admin-acts.ts';
import { clientOf, enter } from './asking.ts';
import { type Chance, createChance } from './chance.ts';
import * as acts from './customer-acts.ts';
import { mayBecome, openLedger } from './ledger.ts';
import { type Settings, type ShopProcesses, spawnShops } from './shop-process.ts';
import { findLost } from './shown.ts';
import { letTimePass } from './time.ts';

type Tortured = {
  kills: number;
  answered: number;
  unanswered: number;
  orders: number;
  starts: number[];
};

/** How many people act at once. */
const customers = 8;
/** How many answers are heard before a kill, at most. */
const mostAnswers = 300;
/** After so many kills everything is settled, and compared again. */
const lookEvery = 5;

/**
 * Starts the real shop on an empty `place`, puts it under load, kills it without warning at a random moment, starts it
 * again, and compares what it shows with what it has answered; `kills` times. With several `settings` it is as many
 * processes, which get requests in turn and are killed together. Throws with all differences and the seed.
 */
export async function torture(options: {
  place: DatabaseLocation;
  settings: [Settings, ...Settings[]];
  kills: number;
  seed: number;
  say?: (line: string) => void;
}): Promise<Tortured> {
  const { place, settings, kills, seed, say = () => undefined } = options;
  const chance = createChance(seed);
  const ledger = openLedger();
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

  async function openKilledOnce(): Promise<ShopProcesses> {
    // Also while it makes its tables, and while it looks at the payments.
    const opening = spawnShops(...settings);
    shop = opening;
    await setTimeout(chance.below(1200));
    await opening.kill();
    killed += 1;
    return open();
  }

  /** All that is wrong now, with every write that was ever answered. */
  async function compare(client: Client): Promise<string[]> {
    const lost = await findLost(ledger, origin, client);
    return [...lost, ...auditBooks(await readBooks(place), ledger.products)];
  }

  /** The shop is stopped, time passes, and the look of its next start settles what is open. */
  async function compareSettled(client: Client): Promise<string[]> {
    await shop?.stop();
    for (const order of ledger.orders.values()) if (order.may.has('')) mayBecome(order, 'expired');
    await letTimePass(place);
    const { errors } = await open();
    let unsettled: string[] = [];
    for (const until = Date.now() + 30_000; Date.now() < until; await setTimeout(100)) {
      unsettled = auditMoney(await readBooks(place));
      if (unsettled.length === 0) break;
    }
    return [...unsettled, ...(await compare(client)), ...errors()];
  }

  try {
    let running = await openKilledOnce();
    admin = await enterAsAdmin(origin);
    const products = (await admin.list('listProducts', {})).rows;
    for (const { _id, a_quantity } of products)
      ledger.products.set(_id, { stock: a_quantity, may: new Set(['sold']), planted: true });
    ledger.pictures.push(...products.slice(0, 1).map(({ img }) => img));
    let requests = 0;
    const stage: acts.Stage = {
      /** Another process each time. */
      get origin() {
        const { PORT } = settings[requests++ % settings.length] ?? settings[0];
        return `http://127.0.0.1:${PORT}`;
      },
      ...{ chance, ledger, products },
    };
    for (let at = 0; at < 4; at++) await acts.signUp(stage);

    while (killed < kills) {
      const enough = ledger.answered + chance.below(mostAnswers);
      await load(stage, admin, async () => {
        const until = Date.now() + 5000;
        while (ledger.answered < enough && Date.now() < until) await setTimeout(chance.below(20));
        await running.kill();
      });
      killed += 1;
      const errors = running.errors();
      running = chance.happens(0.2) && killed < kills ? await openKilledOnce() : await open();
      const look = killed % lookEvery === 0 || killed >= kills;
      const wrong = [...errors, ...(await compare(admin)), ...(look ? await compareSettled(admin) : [])];
      running = shop ?? running;
      say(
        `kill ${killed}: ${ledger.answered} answers, ${ledger.unanswered} never came, ${ledger.orders.size} orders`,
      );
      if (wrong.length > 0) throw new Error(`After kill ${killed} of seed ${seed}:\n${wrong.join('\n')}`);
    }
  } finally {
    await shop?.kill();
  }
  const { answered, unanswered, orders } = ledger;
  return { kills: killed, answered, unanswered, orders: orders.size, starts };
}

/** People act, all at once, until `end` has ended the shop. */
export async function load(stage: acts.Stage, admin: Client, end: () => Promise<void>): Promise<void> {
  let over = false;
  const act = async (choose: (chance: Chance) => Promise<void>) => {
    while (!over) await choose(stage.chance);
  };
  const people = Array.from({ length: customers }, () => act((chance) => actAsCustomer(stage, chance)));
  const all = [...people, act((chance) => actAsAdmin(stage, admin, chance))];
  await end();
  over = true;
  await Promise.all(all);
}

async function actAsCustomer(stage: acts.Stage, chance: Chance): Promise<void> {
  // The newest few: one person may open thirty payments in ten minutes.
  const customer = chance.pick(stage.ledger.customers.slice(-6));
  if (!customer || chance.happens(0.04)) return acts.signUp(stage);
  const act = chance.pick([
    acts.order,
    acts.order,
    acts.order,
    acts.pay,
    acts.pay,
    acts.pay,
    acts.deleteOrder,
    acts.saveProfile,
    acts.review,
    acts.upload,
    acts.repeat,
  ]);
  await act?.(stage, customer);
}

async function actAsAdmin(stage: acts.Stage, admin: Client, chance: Chance): Promise<void> {
  const [img = ''] = stage.ledger.pictures;
  if (chance.happens(0.7)) return ship(stage, admin);
  if (chance.happens(0.7)) return addProduct(stage, admin, img);
  await deleteProduct(stage, admin);
}

export async function enterAsAdmin(origin: string): Promise<Client> {
  const who = { name: '', email: 'admin@example.com', password: 'clockwork' };
  return clientOf(origin, '10.0.0.1', await enter(origin, '10.0.0.1', 'sign-in', who));
}
