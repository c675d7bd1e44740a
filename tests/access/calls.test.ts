import { describe, expect, test } from 'vitest';
import type { Access, Call } from '../../contract/call.ts';
import { contract } from '../../contract/contract.ts';
import { uploaded } from '../../contract/images.ts';
import type { CallName } from '../../contract/paths.ts';
import { type Asking, ask, byToken, readProblem } from '../support/ask.ts';
import { engines } from '../support/database.ts';
import { callNames } from '../support/every-ask.ts';
import { prepareEveryCall } from '../support/every-call.ts';
import { startShop } from '../support/shop.ts';
import { readState } from './state.ts';
import { createVisitors, setRole, type Visitor, type VisitorKind } from './visitors.ts';

/** What the contract's word for who is let in means to each visitor; undefined: they are let in. */
const refusals: Record<Access, Partial<Record<VisitorKind, 401 | 403 | 404>>> = {
  everyone: {},
  // By its signature alone: the next test.
  provider: {},
  'signed-in': { nobody: 401 },
  self: { nobody: 401, other: 403, admin: 403, demoted: 403 },
  'self-or-admin': { nobody: 401, other: 403, demoted: 403 },
  owner: { nobody: 401, other: 404, admin: 404, demoted: 404 },
  'owner-or-admin': { nobody: 401, other: 404, demoted: 404 },
  admin: { nobody: 401, customer: 403, other: 403, demoted: 403 },
};

/** The decision itself: what is wrong in the contract would be held to be right by all that is made from it. */
const decided: Record<Access, CallName[]> = {
  everyone: ['listProducts', 'getProduct', 'listReviews'],
  'signed-in': ['addReview', 'uploadImage'],
  self: ['saveUser', 'placeOrder'],
  'self-or-admin': ['isAdmin', 'listOwnOrders'],
  owner: ['createPaymentIntent'],
  'owner-or-admin': ['getOrder', 'markOrderPaid', 'deleteOrder'],
  admin: [
    ...(['listUsers', 'makeAdmin', 'addProduct', 'deleteProduct', 'listAllOrders', 'shipOrder'] as const),
    ...(['hideReview', 'showReview'] as const),
    ...(['listUnknownPayments', 'listAudit', 'getHealth'] as const),
  ],
  provider: ['receiveStripeEvent'],
};

test('every call is for whom it was decided to be', () => {
  const found = callNames.map((name) => `${name}: ${contract[name].access}`);
  const wanted = Object.entries(decided).flatMap(([access, names]) =>
    names.map((name) => `${name}: ${access}`),
  );
  expect(found.sort()).toEqual(wanted.sort());
});

const limits = { intentsForPerson: 10_000, uploadsForPerson: 10_000, reviewsForPerson: 10_000 };

describe.each(engines)('on %s', (engine) => {
  test('every call lets in who was decided, by cookie and by token, and a refusal changes nothing', async () => {
    await using shop = await startShop({ engine, limits });
    const { people, visitors } = await createVisitors(shop);
    const samples = (await prepareEveryCall(shop)).calls;
    // A call without a sample would be one that nobody tried.
    expect(Object.keys(samples).sort()).toEqual([...callNames].sort());
    expect(callNames).toHaveLength(Object.keys(contract).length);

    async function attempt(name: CallName, visitor: Visitor, given: Asking): Promise<void> {
      const call: Call = contract[name];
      const refusal = refusals[call.access][visitor.kind];
      const headers = { ...given.headers, ...visitor.headers };
      const response = await ask(shop, name, { ...given, headers });
      const wanted = refusal ?? call.status ?? 200;
      expect([name, visitor.name, response.status]).toEqual([name, visitor.name, wanted]);
      if (!refusal) return void call.response.parse(await response.json());
      expect(call.errors).toContain(refusal);
      if (name === 'uploadImage') uploaded.parse(await response.json());
      else await readProblem(response);
    }

    for (const name of callNames) {
      const refused = ({ kind }: Visitor) => kind in refusals[contract[name].access];
      const given = await samples[name](people.customer);
      const before = await readState(shop);
      for (const visitor of visitors.filter(refused)) await attempt(name, visitor, given);
      expect([name, await readState(shop)]).toEqual([name, before]);
      for (const visitor of visitors.filter((visitor) => !refused(visitor)))
        await attempt(name, visitor, await samples[name](people.customer));
    }
  }, 120_000);

  test('the provider is known by its signature alone', async () => {
    await using shop = await startShop({ engine, limits });
    const { people, visitors } = await createVisitors(shop);
    const { body } = await (await prepareEveryCall(shop)).calls.receiveStripeEvent(people.customer);
    const before = await readState(shop);
    for (const { headers } of visitors)
      expect(await ask(shop, 'receiveStripeEvent', { body, headers })).toMatchObject({ status: 400 });
    expect(await readState(shop)).toEqual(before);
  });

  test('a promotion and its end act on the next call', async () => {
    await using shop = await startShop({ engine });
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    const list = async () => (await ask(shop, 'listUsers', { headers: byToken(tom) })).status;
    expect(await list()).toBe(403);
    await shop.client(admin).call('makeAdmin', { params: { email: tom.email } });
    expect(await list()).toBe(200);
    await setRole(shop, tom, null);
    expect(await list()).toBe(403);
  });
});
