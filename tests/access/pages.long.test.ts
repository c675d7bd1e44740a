import { expect, test } from 'vitest';
import { routes } from '../../web/all-routes.ts';
import { allOffers, prepareCalls } from '../support/call-samples.ts';
import { listPagePaths } from '../support/page-paths.ts';
import { sendRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { createVisitors, type VisitorKind } from './visitors.ts';

type Responses = Record<VisitorKind, string>;
const forAll = (response: string): Responses => ({
  anonymous: response,
  customer: response,
  other: response,
  admin: response,
  demoted: response,
});
const toSignIn = '302 /login?from=:here';
const forPeople = { ...forAll('200'), anonymous: toSignIn };
const forAdmins = { ...forAll('303 /login?reason=admin'), anonymous: toSignIn, admin: '200' };

/** The status and redirect of each page. */
const table: Record<string, Responses> = {
  '/': forAll('200'),
  '/blogs': forAll('200'),
  '/products': forPeople,
  '/myPortfolio': forPeople,
  '/login': { ...forAll('302 /'), anonymous: '200' },
  '/login/code': { ...forAll('302 /'), anonymous: '200' },
  '/signup': { ...forAll('302 /products'), anonymous: '200' },
  '/forgot-password': forAll('200'),
  '/reset-password': forAll('200'),
  '/account-deleted': forAll('200'),
  '/confirm-address': forPeople,
  '/change-address': forPeople,
  '/purchase/:productId': forPeople,
  '/basket': forPeople,
  '/dashboard': forPeople,
  '/dashboard/account': forPeople,
  '/dashboard/two-factor': forPeople,
  '/dashboard/passkeys': forPeople,
  '/dashboard/delete-account': forPeople,
  '/dashboard/history': { ...forAll('302 /dashboard'), anonymous: toSignIn },
  '/dashboard/myOrder': forPeople,
  '/dashboard/orders/:id': { ...forAll('404'), anonymous: toSignIn, customer: '200', admin: '200' },
  '/dashboard/payment/:id': { ...forAll('404'), anonymous: toSignIn, customer: '200', admin: '200' },
  '/dashboard/review': forPeople,
  '/dashboard/users': forAdmins,
  '/dashboard/allOrders': forAdmins,
  '/dashboard/addProduct': forAdmins,
  '/dashboard/manageProduct': forAdmins,
  '/dashboard/products/import': forAdmins,
  '/dashboard/products/count': forAdmins,
  '/dashboard/products/:id': forAdmins,
  '/dashboard/products/:id/stock': forAdmins,
  '/dashboard/stock': forAdmins,
  '/dashboard/reviews': forAdmins,
  '/dashboard/print/slips': forAdmins,
  '/dashboard/print/picks': forAdmins,
  '/dashboard/print/customs': forAdmins,
  '/dashboard/print/invoices': { ...forAll('404'), anonymous: toSignIn, customer: '200', admin: '200' },
  '/dashboard/shop': forAdmins,
  '/dashboard/delivery': forAdmins,
  '/dashboard/messages': forAdmins,
  '/dashboard/audit': forAdmins,
  '/api/docs': { ...forAll('403'), anonymous: toSignIn, admin: '200' },
  '/dashboard/health': forAdmins,
  '/delivery': forAll('404'),
  '/contact': forAll('200'),
  '/newsletter': forAll('200'),
  '/newsletter/confirm': forAll('200'),
  '/newsletter/unsubscribe': forAll('200'),
  '/back-in-stock/stop': forAll('200'),
  '/sign-out': forAll('302 /'),
  '/*': forAll('404'),
};

const openPages = ['/products', '/purchase/:productId'];
const openTable = { ...table, ...Object.fromEntries(openPages.map((path) => [path, forAll('200')])) };

test.each([
  ['its intended visitors', 'no', table],
  ['its intended visitors with OPEN_CATALOGUE', 'yes', openTable],
] as const)(
  'every page admits exactly %s',
  async (_, OPEN_CATALOGUE, table) => {
    await using shop = await startShop({ settings: { ...allOffers, OPEN_CATALOGUE } });
    const { people, visitors } = await createVisitors(shop);
    const prepared = await prepareCalls(shop);
    // Every page has a row, so none goes untested.
    expect(Object.keys(table).sort()).toEqual(listPagePaths(routes).sort());
    for (const [path, responses] of Object.entries(table)) {
      const address = await prepared.address(path, people.customer);
      for (const { name, kind, headers } of visitors) {
        const { status, headers: responseHeaders } = await sendRequest(shop, 'GET', address, { headers });
        const location = responseHeaders.get('location');
        const expected = responses[kind].replace(':here', encodeURIComponent(address));
        expect([path, name, location ? `${status} ${location}` : `${status}`]).toEqual([
          path,
          name,
          expected,
        ]);
      }
    }
  },
  60_000,
);

test('every visitor can see an image, and only an admin can delete it', async () => {
  await using shop = await startShop();
  const { visitors } = await createVisitors(shop);
  for (const { name, kind, headers } of visitors) {
    const { img } = await shop.addProduct();
    const deleted = await sendRequest(shop, 'DELETE', img, { headers });
    const expected = {
      anonymous: 401,
      customer: 403,
      other: 403,
      demoted: 403,
      admin: 200,
    }[kind];
    expect([name, deleted.status]).toEqual([name, expected]);
    const { status } = await sendRequest(shop, 'GET', img, { headers });
    expect([name, status]).toEqual([name, expected === 200 ? 404 : 200]);
  }
});

test('health checks, the OpenAPI document and robots.txt are public', async () => {
  await using shop = await startShop();
  const { visitors } = await createVisitors(shop);
  for (const path of ['/healthz', '/readyz', '/api/openapi.json', '/robots.txt']) {
    for (const { name, headers } of visitors) {
      const { status } = await sendRequest(shop, 'GET', path, { headers });
      expect([path, name, status]).toEqual([path, name, 200]);
    }
  }
});
