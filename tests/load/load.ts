import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import type { Client } from '../../web/client/api/client.ts';
import { createShopClient } from '../support/shop-client.ts';
import { attempt } from './attempt.ts';
import { type Customer, createLedger, type Ledger, type OrderEntry, type ShopClient } from './ledger.ts';
import { createRandom, type Random } from './random.ts';

/** Concurrent random actions of customers, admins and the payment provider, and what the shop has confirmed. */
export type Load = {
  /** A client with an IP address of its own: sign-ups per address are limited. */
  connect: (address: string) => ShopClient;
  /** The stand-in for Stripe. */
  provider: Provider;
  admins: Client[];
  random: Random;
  ledger: Ledger;
  /** The products to order. */
  products: OrderableProduct[];
};
type Provider = {
  readonly origin: string;
  secretKey: string;
  fetch: (request: Request) => Promise<Response>;
};
type OrderableProduct = Pick<Product, '_id' | 'price' | 'o_quantity'>;

export type Action = (load: Load) => Promise<unknown>;

type Target = {
  origin: string;
  /** For a shop in this process. Otherwise requests are sent over the network, with their address in `X-Forwarded-For`. */
  fetchFromAddress?: (request: Request, address: string) => Promise<Response>;
};

/** For `Load.connect`: sends each request to the next of the targets, as a load balancer does. */
export function connectTo(targets: readonly Target[]): Load['connect'] {
  const [{ origin: first } = { origin: '' }] = targets;
  let count = 0;
  return (address) =>
    createShopClient(first, async (request) => {
      const { origin = first, fetchFromAddress } = targets[count++ % targets.length] ?? {};
      const sent = origin === first ? request : await changeOrigin(request, first, origin);
      sent.headers.set('x-forwarded-for', address);
      return fetchFromAddress ? fetchFromAddress(sent, address) : fetch(sent);
    });
}

async function changeOrigin(request: Request, from: string, to: string): Promise<Request> {
  const { method, headers } = request;
  if (headers.has('origin')) headers.set('origin', to);
  const body = request.body ? { body: await request.arrayBuffer() } : {};
  return new Request(request.url.replace(from, to), { method, headers, ...body });
}

export async function signInAsAdmin(origin: string): Promise<Client> {
  const shop = connectTo([{ origin }])('10.0.0.1');
  return shop.client(await shop.signIn('admin@example.com', 'clockwork'));
}

/** Prepares a load: a ledger with the products that are there already, and four customers. */
export async function createLoad({
  seed,
  hasOutages = false,
  ...others
}: Pick<Load, 'connect' | 'provider' | 'admins'> & { seed: number; hasOutages?: boolean }): Promise<Load> {
  const ledger = createLedger({ hasOutages });
  const products = (await others.admins[0]?.list('listProducts', {}))?.rows ?? [];
  for (const { _id, a_quantity } of products)
    ledger.products.set(_id, { stock: a_quantity, allowed: new Set(['on-sale']), seeded: true });
  ledger.images.push(...products.slice(0, 1).map(({ img }) => img));
  const load = { ...others, random: createRandom(seed), ledger, products };
  for (let index = 0; index < 4; index++) await signUpCustomer(load);
  return load;
}

/** Lets workers act concurrently until `end` resolves. Each worker repeats random actions of its list. */
export async function runLoad(load: Load, workers: Action[][], end: () => Promise<unknown>): Promise<void> {
  let ended = false;
  const running = workers.map(async (actions) => {
    while (!ended) {
      await load.random.pick(actions)?.(load);
      // An action with nothing to do has not waited for anything, so let the other workers run.
      await setImmediate();
    }
  });
  try {
    await Promise.race([end(), Promise.all(running)]);
  } finally {
    ended = true;
  }
  await Promise.all(running);
}

/** Waits until the load has received more than `count` further responses. */
export async function waitForResponses({ ledger }: Pick<Load, 'ledger'>, count = 60): Promise<void> {
  const before = ledger.answered;
  await expect.poll(() => ledger.answered, { timeout: 60_000 }).toBeGreaterThan(before + count);
}

export async function signUpCustomer({ connect, random, ledger }: Load): Promise<void> {
  const shop = connect(`10.${random.below(256)}.${random.below(256)}.${random.below(256)}`);
  const signedUp = await attempt(ledger, 'sign up', () => shop.signUp());
  if (!signedUp || 'rejected' in signedUp) return;
  const person = signedUp.value;
  const state = { profile: { pending: [] }, isLeaving: false, isGone: false };
  ledger.customers.push({ ...person, shop, client: shop.client(person), ...state });
}

/** One of the newest customers: payments are rate-limited per user, so older customers may have used up their limit. */
export const pickCustomer = ({ random, ledger }: Load): Customer | undefined =>
  random.pick(ledger.customers.filter(({ isLeaving }) => !isLeaving).slice(-6));

/** A random order that meets the condition. Mostly one of the newest, so that actions conflict. */
export function pickOrder(
  { random, ledger }: Load,
  isPossible: (order: OrderEntry) => boolean,
): [id: string, order: OrderEntry] | undefined {
  const possible = [...ledger.orders].filter(([, order]) => isPossible(order));
  return random.pick(random.chance(0.6) ? possible.slice(-12) : possible);
}
