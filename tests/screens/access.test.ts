import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../support/ask.ts';
import { buy } from '../support/payments.ts';
import { startShop, type TestShop } from '../support/shop.ts';

let shop: TestShop;
let customer: Person;
let admin: Person;
let places: { product: string; order: string };

beforeAll(async () => {
  shop = await startShop();
  customer = await shop.signUp();
  admin = await shop.admin();
  const product = await shop.addProduct();
  const { order } = await buy(shop, customer, product);
  places = { product: product._id, order: order._id };
});
afterAll(() => shop.close());

/** Where a page leads: its status, and the address that it sends on to. */
async function open(path: string, person?: Person): Promise<string> {
  const answer = await shop.send(path, { redirect: 'manual' }, person);
  const location = answer.headers.get('location');
  return location ? `${answer.status} ${location}` : `${answer.status}`;
}

const forEverybody = ['/', '/blogs'];
const forPeople = [
  '/products',
  '/myPortfolio',
  '/purchase/:product',
  '/dashboard',
  '/dashboard/myOrder',
  '/dashboard/payment/:order',
  '/dashboard/review',
];
const forAdmins = [
  '/dashboard/users',
  '/dashboard/allOrders',
  '/dashboard/addProduct',
  '/dashboard/manageProduct',
  '/dashboard/reviews',
  '/dashboard/audit',
];
const addressOf = (path: string) => path.replace(':product', places.product).replace(':order', places.order);
const remembered = (path: string) => `302 /login?from=${encodeURIComponent(path)}`;

test.each(forEverybody)('%s is for everybody', async (path) => {
  expect(await open(path)).toBe('200');
  expect(await open(path, customer)).toBe('200');
  expect(await open(path, admin)).toBe('200');
});

test.each(forPeople)('%s is for whoever has signed in, and others are asked to', async (path) => {
  const address = addressOf(path);
  expect(await open(address)).toBe(remembered(address));
  expect(await open(address, customer)).toBe('200');
  expect(await open(address, admin)).toBe('200');
});

test.each(forAdmins)('%s is for admins; a customer is sent to sign in as one', async (path) => {
  expect(await open(path)).toBe(remembered(path));
  expect(await open(path, customer)).toBe('303 /login?reason=admin');
  expect(await open(path, admin)).toBe('200');
});

test('what is asked for behind the path is remembered, too', async () => {
  const path = `/purchase/${places.product}?from=there&a=1%202`;
  expect(await open(path)).toBe(remembered(path));
});

describe('whoever has signed in', () => {
  test('has nothing to do at /login and /signup', async () => {
    expect(await open('/login')).toBe('200');
    expect(await open('/signup')).toBe('200');
    expect(await open('/login', customer)).toBe('302 /');
    expect(await open('/login?from=%2Fblogs', customer)).toBe('302 /blogs');
    expect(await open('/signup', customer)).toBe('302 /products');
  });

  test.each([
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    '/\t/elsewhere.example/',
    '/\n/elsewhere.example/',
    'elsewhere.example',
    'javascript:alert(1)',
  ])('is never sent on to %j', async (from) => {
    expect(await open(`/login?from=${encodeURIComponent(from)}`, customer)).toBe('302 /');
  });
});

test("the phone's address of the profile leads to the profile", async () => {
  expect(await open('/dashboard/history', customer)).toBe('302 /dashboard');
});

test.each(['/nowhere', '/products/more', '/dashboard/nowhere', '/Blogs/2'])(
  '%s is not found',
  async (path) => {
    expect(await open(path)).toBe('404');
    expect(await open(path, admin)).toBe('404');
  },
);
