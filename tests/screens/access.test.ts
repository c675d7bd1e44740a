import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buy } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

let shop: TestShop;
let customer: TestUser;
let admin: TestUser;
let ids: { product: string; order: string };

beforeAll(async () => {
  shop = await startShop();
  customer = await shop.signUp();
  admin = await shop.admin();
  const product = await shop.addProduct();
  const { order } = await buy(shop, customer, product);
  ids = { product: product._id, order: order._id };
});
afterAll(() => shop?.close());

/** The status of a page and the target of its redirect. */
async function readStatus(path: string, person?: TestUser): Promise<string> {
  const response = await shop.send(path, { redirect: 'manual' }, person);
  const location = response.headers.get('location');
  return location ? `${response.status} ${location}` : `${response.status}`;
}

const publicPages = ['/', '/blogs'];
const userPages = [
  '/products',
  '/myPortfolio',
  '/purchase/:product',
  '/dashboard',
  '/dashboard/myOrder',
  '/dashboard/payment/:order',
  '/dashboard/review',
];
const adminPages = [
  '/dashboard/users',
  '/dashboard/allOrders',
  '/dashboard/addProduct',
  '/dashboard/manageProduct',
  '/dashboard/reviews',
  '/dashboard/messages',
  '/dashboard/audit',
];
const fillParams = (path: string) => path.replace(':product', ids.product).replace(':order', ids.order);
const toLogin = (path: string) => `302 /login?from=${encodeURIComponent(path)}`;

test.each(publicPages)('%s is public', async (path) => {
  expect(await readStatus(path)).toBe('200');
  expect(await readStatus(path, customer)).toBe('200');
  expect(await readStatus(path, admin)).toBe('200');
});

test.each(userPages)('%s requires sign-in', async (path) => {
  const address = fillParams(path);
  expect(await readStatus(address)).toBe(toLogin(address));
  expect(await readStatus(address, customer)).toBe('200');
  expect(await readStatus(address, admin)).toBe('200');
});

test.each(adminPages)('%s is for admins; a customer is redirected to sign in as an admin', async (path) => {
  expect(await readStatus(path)).toBe(toLogin(path));
  expect(await readStatus(path, customer)).toBe('303 /login?reason=admin');
  expect(await readStatus(path, admin)).toBe('200');
});

test('the return path includes the query', async () => {
  const path = `/purchase/${ids.product}?from=there&a=1%202`;
  expect(await readStatus(path)).toBe(toLogin(path));
});

describe('a signed-in user', () => {
  test('is redirected away from /login and /signup', async () => {
    expect(await readStatus('/login')).toBe('200');
    expect(await readStatus('/signup')).toBe('200');
    expect(await readStatus('/login', customer)).toBe('302 /');
    expect(await readStatus('/login?from=%2Fblogs', customer)).toBe('302 /blogs');
    expect(await readStatus('/signup', customer)).toBe('302 /products');
  });

  test.each([
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    '/\t/elsewhere.example/',
    '/\n/elsewhere.example/',
    'elsewhere.example',
    'javascript:alert(1)',
  ])('is never redirected to %j', async (from) => {
    expect(await readStatus(`/login?from=${encodeURIComponent(from)}`, customer)).toBe('302 /');
  });
});

test.each(['/reset-password', '/newsletter/confirm', '/newsletter/unsubscribe', '/back-in-stock/stop'])(
  'on %s, the link to sign in does not copy the token from the URL',
  async (path) => {
    const html = await (await shop.send(`${path}?token=sample`)).text();
    const links = html.match(/(?<=href=")\/login[^"]*/g) ?? [];
    expect(links).toContain('/login');
    expect(links.filter((link) => link.includes('sample'))).toEqual([]);
  },
);

test('/dashboard/history redirects to the profile', async () => {
  expect(await readStatus('/dashboard/history', customer)).toBe('302 /dashboard');
});

test.each(['/nowhere', '/products/more', '/dashboard/nowhere', '/Blogs/2'])(
  '%s is not found',
  async (path) => {
    expect(await readStatus(path)).toBe('404');
    expect(await readStatus(path, admin)).toBe('404');
  },
);
