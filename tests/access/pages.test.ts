import { expect, test } from 'vitest';
import { routes } from '../../web/routes.tsx';
import { askPath } from '../support/ask.ts';
import { prepareEveryCall } from '../support/every-call.ts';
import { pathsOf } from '../support/page-paths.ts';
import { startShop } from '../support/shop.ts';
import { createVisitors, type VisitorKind } from './visitors.ts';

type Answers = Record<VisitorKind, string>;
const forAll = (answer: string): Answers => ({
  ...{ nobody: answer, customer: answer, other: answer, admin: answer, demoted: answer },
});
const toSignIn = '302 /login?from=:here';
const forPeople = { ...forAll('200'), nobody: toSignIn };
const forAdmins = { ...forAll('303 /login?reason=admin'), nobody: toSignIn, admin: '200' };

/** What each page of the table in `web/routes.tsx` answers: its status, and where it leads to. */
const table: Record<string, Answers> = {
  '/': forAll('200'),
  '/blogs': forAll('200'),
  '/products': forPeople,
  '/myPortfolio': forPeople,
  '/login': { ...forAll('302 /'), nobody: '200' },
  '/signup': { ...forAll('302 /products'), nobody: '200' },
  '/purchase/:productId': forPeople,
  '/dashboard': forPeople,
  '/dashboard/history': { ...forAll('302 /dashboard'), nobody: toSignIn },
  '/dashboard/myOrder': forPeople,
  '/dashboard/payment/:id': { ...forAll('404'), nobody: toSignIn, customer: '200', admin: '200' },
  '/dashboard/review': forPeople,
  '/dashboard/users': forAdmins,
  '/dashboard/allOrders': forAdmins,
  '/dashboard/addProduct': forAdmins,
  '/dashboard/manageProduct': forAdmins,
  '/dashboard/reviews': forAdmins,
  '/dashboard/audit': forAdmins,
  '/api/docs': { ...forAll('403'), nobody: toSignIn, admin: '200' },
  '/dashboard/health': forAdmins,
  '/sign-out': forAll('302 /'),
  '/*': forAll('404'),
};

test('every page lets in who may', async () => {
  await using shop = await startShop();
  const { people, visitors } = await createVisitors(shop);
  const every = await prepareEveryCall(shop);
  // A page without a row would be one that nobody tried.
  expect(Object.keys(table).sort()).toEqual(pathsOf(routes).sort());
  for (const [path, answers] of Object.entries(table)) {
    const address = await every.address(path, people.customer);
    for (const { name, kind, headers } of visitors) {
      const { status, headers: said } = await askPath(shop, 'GET', address, { headers });
      const location = said.get('location');
      const wanted = answers[kind].replace(':here', encodeURIComponent(address));
      expect([path, name, location ? `${status} ${location}` : `${status}`]).toEqual([path, name, wanted]);
    }
  }
}, 60_000);

test('a picture is for everybody, and only an admin removes it', async () => {
  await using shop = await startShop();
  const { visitors } = await createVisitors(shop);
  for (const { name, kind, headers } of visitors) {
    const { img } = await shop.addProduct();
    const removed = await askPath(shop, 'DELETE', img, { headers });
    const wanted = { ...{ nobody: 401, customer: 403, other: 403, demoted: 403 }, admin: 200 }[kind];
    expect([name, removed.status]).toEqual([name, wanted]);
    const seen = await askPath(shop, 'GET', img, { headers });
    expect([name, seen.status]).toEqual([name, wanted === 200 ? 404 : 200]);
  }
});

test('what is neither a page nor a call is for everybody', async () => {
  await using shop = await startShop();
  const { visitors } = await createVisitors(shop);
  for (const path of ['/healthz', '/readyz', '/api/openapi.json', '/robots.txt']) {
    for (const { name, headers } of visitors) {
      const { status } = await askPath(shop, 'GET', path, { headers });
      expect([path, name, status]).toEqual([path, name, 200]);
    }
  }
});
