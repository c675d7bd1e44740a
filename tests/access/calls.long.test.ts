import { describe, expect, test } from 'vitest';
import type { Access, Call } from '../../contract/call.ts';
import { listErrors } from '../../contract/call-errors.ts';
import { uploaded } from '../../contract/catalogue/images.ts';
import { contract } from '../../contract/contract.ts';
import type { CallName } from '../../contract/paths.ts';
import { callNames } from '../support/call-requests.ts';
import { allOffers, prepareCalls } from '../support/call-samples.ts';
import { engines } from '../support/database.ts';
import { readProblem, type SendOptions, sendCall, tokenHeaders } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { readState } from './state.ts';
import { createVisitors, setRole, type Visitor, type VisitorKind } from './visitors.ts';

/** The status with which each access level rejects each kind of visitor. A kind that is not listed is admitted. */
const rejections: Record<Access, Partial<Record<VisitorKind, 401 | 403 | 404>>> = {
  everyone: {},
  // The provider is identified by its signature; see the test below.
  provider: {},
  'signed-in': { anonymous: 401 },
  self: { anonymous: 401, other: 403, admin: 403, demoted: 403 },
  'self-or-admin': { anonymous: 401, other: 403, demoted: 403 },
  owner: { anonymous: 401, other: 404, admin: 404, demoted: 404 },
  'owner-or-admin': { anonymous: 401, other: 404, demoted: 404 },
  admin: { anonymous: 401, customer: 403, other: 403, demoted: 403 },
};

/** The intended access of each call, repeated here because everything else is derived from the contract. */
const intendedAccess: Record<Access, CallName[]> = {
  everyone: [
    ...(['listProducts', 'getProductFilters', 'getProduct', 'listRelatedProducts'] as const),
    ...(['listReviews', 'listProductReviews'] as const),
    ...(['quoteLines', 'getShipping'] as const),
    ...(['sendContactMessage', 'subscribe', 'confirmSubscription'] as const),
  ],
  'signed-in': [
    ...(['addReview', 'listReviewableProducts', 'reportReview', 'uploadImage'] as const),
    ...(['listAddresses', 'addAddress', 'changeAddress', 'removeAddress'] as const),
    ...(['requestBackInStock', 'cancelBackInStock'] as const),
    ...(['getBasket', 'addToBasket', 'setBasketLine', 'removeBasketLine', 'placePurchase'] as const),
  ],
  self: ['saveUser', 'placeOrder', 'exportUser', 'deleteUser'],
  'self-or-admin': ['isAdmin', 'listOwnOrders'],
  owner: ['saveCheckout', 'createPaymentIntent', 'orderAgain', 'editReview', 'deleteReview'],
  'owner-or-admin': [
    ...([
      'getOrder',
      'markOrderPaid',
      'deleteOrder',
      'getPurchase',
      'changeDelivery',
      'quotePurchase',
      'getPrintout',
    ] as const),
  ],
  admin: [
    ...([
      'listUsers',
      'makeAdmin',
      'removeAdmin',
      'signOutUser',
      'listCategories',
      'addProduct',
      'editProduct',
      'importProducts',
      'deleteProduct',
      'listAllOrders',
      'sumOrders',
      'shipOrder',
      'shipParcel',
      'undoShipment',
      'refundOrder',
      'refundPurchase',
      'settleRefund',
      'assignRefund',
      'recordReturn',
      'addOrderNote',
    ] as const),
    ...(['adjustStock', 'listProductStock', 'listStock'] as const),
    ...([
      'hideReview',
      'showReview',
      'approveReview',
      'answerReview',
      'getReportedCount',
      'dismissReports',
    ] as const),
    ...(['getShopDetails', 'saveShopDetails', 'saveShipping'] as const),
    ...([
      'listSubscribers',
      'listContactMessages',
      'markContactMessages',
      'getRestoredBackup',
      'listUnknownPayments',
      'settleUnknownPayment',
      'settleLatePayment',
      'listAudit',
      'getHealth',
      'retryMail',
      'getOverview',
    ] as const),
  ],
  provider: ['receiveStripeEvent'],
};

test('the contract gives every call its intended access level', () => {
  const actual = callNames.map((name) => `${name}: ${contract[name].access}`);
  const expected = Object.entries(intendedAccess).flatMap(([access, names]) =>
    names.map((name) => `${name}: ${access}`),
  );
  expect(actual.sort()).toEqual(expected.sort());
});

const findOwner = (name: CallName, { person }: Visitor) =>
  /^(get|set|remove)Basket|^addToBasket$|^placePurchase$|^(change|remove)Address$/.test(name)
    ? person
    : undefined;

const limits = {
  intentsPerUser: 10_000,
  uploadsPerUser: 10_000,
  reviewsPerUser: 10_000,
  reviewEditsPerUser: 10_000,
  reportsPerUser: 10_000,
  contactMessagesPerSender: 1000,
  contactMessagesOfUsersPerAddress: 1000,
  linkRequestsPerAddress: 1000,
  linkRequestsPerAddressAndMailbox: 1000,
  signInsPerAddressAndEmail: 10_000,
};

describe.each(engines)('on %s', (engine) => {
  test('every call admits exactly its intended visitors, by cookie and by token, and a rejection changes nothing', async () => {
    await using shop = await startShop({ engine, settings: allOffers, rateLimits: limits });
    const { people, visitors } = await createVisitors(shop);
    const samples = (await prepareCalls(shop)).calls;
    // Every call has a sample, so none goes untested.
    expect(Object.keys(samples).sort()).toEqual([...callNames].sort());
    expect(callNames).toHaveLength(Object.keys(contract).length);

    async function attempt(name: CallName, visitor: Visitor, request: SendOptions): Promise<void> {
      const call: Call = contract[name];
      const rejection = rejections[call.access][visitor.kind];
      const headers = { ...request.headers, ...visitor.headers };
      const response = await sendCall(shop, name, { ...request, headers });
      // The sample of `deleteUser` has a wrong password.
      const success = name === 'deleteUser' ? 422 : (call.status ?? 200);
      expect([name, visitor.name, response.status]).toEqual([name, visitor.name, rejection ?? success]);
      if (response.status === 422) return;
      if (!rejection) return void call.response.parse(await response.json());
      expect(listErrors(call)).toContain(rejection);
      if (name === 'uploadImage') uploaded.parse(await response.json());
      else await readProblem(response);
    }

    for (const name of callNames) {
      const isRejected = ({ kind }: Visitor) => kind in rejections[contract[name].access];
      const sample = await samples[name](people.customer);
      const before = await readState(shop, ['mail']);
      for (const visitor of visitors.filter(isRejected)) await attempt(name, visitor, sample);
      expect([name, await readState(shop, ['mail'])]).toEqual([name, before]);
      // Calls of the basket and the address book are for the visitor's own; all other calls are for the customer's data.
      for (const visitor of visitors.filter((visitor) => !isRejected(visitor)))
        await attempt(name, visitor, await samples[name](findOwner(name, visitor) ?? people.customer));
    }
  }, 120_000);

  test('only a valid signature identifies the provider', async () => {
    await using shop = await startShop({ engine, settings: allOffers, rateLimits: limits });
    const { people, visitors } = await createVisitors(shop);
    const { body } = await (await prepareCalls(shop)).calls.receiveStripeEvent(people.customer);
    const before = await readState(shop, ['mail']);
    for (const { headers } of visitors)
      expect(await sendCall(shop, 'receiveStripeEvent', { body, headers })).toMatchObject({ status: 400 });
    expect(await readState(shop, ['mail'])).toEqual(before);
  });

  test('a promotion and a demotion apply to the next call', async () => {
    await using shop = await startShop({ engine });
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    const list = async () => (await sendCall(shop, 'listUsers', { headers: tokenHeaders(tom) })).status;
    expect(await list()).toBe(403);
    await shop.client(admin).call('makeAdmin', { params: { email: tom.email } });
    expect(await list()).toBe(200);
    await setRole(shop, tom, null);
    expect(await list()).toBe(403);
  });
});
