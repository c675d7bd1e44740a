import { expect } from 'vitest';
import type { Engine } from '../../server/database/schema.ts';
import type { Person } from '../support/ask.ts';
import { auditBooks, auditMoney, type Opening, readBooks } from '../support/auditor.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import type { State } from './rules.ts';

/** The real side: a shop, its people (two customers, who may become admins) and who owns what. */
export type World = {
  shop: TestShop;
  people: [Person, Person];
  admin: Person;
  /** A picture that products may show. */
  img: string;
  owners: Map<string, Person>;
  opening: Map<string, Opening>;
};

/** Of one piece of every product. */
export const price = 12.5;

/** A shop for some sequences; its webhooks are lost: events come when a sequence sends them. */
export async function openWorld(engine: Engine): Promise<World> {
  const shop = await startShop({ engine, rateLimits: { intentsPerUser: 1_000_000 } });
  await shop.stripe.close();
  const people: World['people'] = [await shop.signUp('Tom Graham'), await shop.signUp('Nora Newcomer')];
  const { _id, a_quantity, img } = await shop.addProduct();
  const opening = new Map([[_id, { stock: a_quantity }]]);
  return { shop, people, admin: await shop.admin(), img, owners: new Map(), opening };
}

/** Two products of their own for one sequence, and nobody but the admin is one. */
export async function beginSequence({ shop, admin, people, img, opening }: World): Promise<State> {
  const emails = people.map(({ email }) => email);
  await shop.database.db.updateTable('user').set({ role: null }).where('email', 'in', emails).execute();
  const state: State = { products: {}, orders: {}, intents: {}, admins: { 0: false, 1: false } };
  for (const [available, minimum] of [
    [9, 1],
    [5, 2],
  ] as const) {
    const body = { name: 'Pivot Gauge', email: admin.email, price, description: 'Measures pivots.', img };
    const { insertedId } = await shop.client(admin).call('addProduct', {
      body: { ...body, o_quantity: minimum, a_quantity: available },
    });
    state.products[insertedId] = { available, minimum };
    opening.set(insertedId, { stock: available });
  }
  return state;
}

/** After the periodic work of a sequence. */
export async function expectBalanced({ shop, opening }: World): Promise<void> {
  const books = await readBooks(shop.config.database);
  expect([...auditBooks(books, opening), ...auditMoney(books)]).toEqual([]);
}
