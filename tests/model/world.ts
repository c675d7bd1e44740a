import { expect } from 'vitest';
import type { Engine } from '../../server/database/schema.ts';
import { auditSettled, type OpeningStock } from '../support/auditor.ts';
import type { TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import type { State } from './rules.ts';

/** A real shop, its users (two customers, who may become admins) and the owner of each order and purchase. */
export type World = {
  shop: TestShop;
  people: [TestUser, TestUser];
  admin: TestUser;
  /** URL of an image for products. */
  img: string;
  owners: Map<string, TestUser>;
  opening: Map<string, OpeningStock>;
};

/** Price of every product. */
export const unitPrice = 12.5;

/** Starts a shop for several sequences. It receives only the webhooks that a sequence sends. */
export async function startWorld(engine: Engine): Promise<World> {
  const rateLimits = { intentsPerUser: 1_000_000 };
  const shop = await startShop({ engine, rateLimits, allowErrorLogs: true });
  await shop.stripe.close();
  const people: World['people'] = [await shop.signUp('Tom Graham'), await shop.signUp('Nora Newcomer')];
  const { _id, a_quantity, img } = await shop.addProduct();
  const opening = new Map([[_id, { stock: a_quantity }]]);
  return { shop, people, admin: await shop.admin(), img, owners: new Map(), opening };
}

/** Resets the roles and adds three products for a sequence. */
export async function startSequence({ shop, admin, people, img, opening }: World): Promise<State> {
  const emails = people.map(({ email }) => email);
  await shop.database.db.updateTable('user').set({ role: null }).where('email', 'in', emails).execute();
  const state: State = {
    products: {},
    orders: {},
    purchases: {},
    intents: {},
    admins: { 0: false, 1: false },
    parcels: {},
    memory: {},
    reports: {},
    disputes: {},
  };
  for (const [available, minimum] of [
    [9, 1],
    [5, 2],
    [7, 1],
  ] as const) {
    const body = {
      name: 'Pivot Gauge',
      email: admin.email,
      price: unitPrice,
      description: 'Measures pivots.',
      img,
    };
    const { insertedId } = await shop.client(admin).call('addProduct', {
      body: { ...body, o_quantity: minimum, a_quantity: available },
    });
    state.products[insertedId] = { available, minimum };
    opening.set(insertedId, { stock: available });
  }
  return state;
}

/** Checks the books. Call it after the periodic work. */
export async function expectBalanced({ shop, opening }: World): Promise<void> {
  expect(await auditSettled(shop.config.database, opening)).toEqual([]);
  const errors = shop.logged.filter(({ level }) => level >= 50);
  expect(errors).toEqual([]);
}
