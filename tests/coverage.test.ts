import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(`${root}docs/coverage.md`, 'utf8').replaceAll(/\n +/g, ' ');

/** Keywords of the specification's statements. */
const screens = [
  '/',
  '/blogs',
  '/products',
  '/myPortfolio',
  '/login',
  '/signup',
  '/purchase/{productId}',
  '/dashboard',
  'myOrder',
  'payment/{id}',
  'review',
  'users',
  'allOrders',
  'addProduct',
  'manageProduct',
];
const calls = [
  'PUT /user/{email}',
  'GET /admin/{email}',
  'GET /user',
  'PUT /user/admin/{email}',
  'GET /products',
  'GET /products/{id}',
  'POST /product',
  'DELETE /products/{id}',
  'GET /reviews',
  'POST /review',
  'GET /order',
  'GET /orders?user={email}',
  'GET /orders/{id}',
  'POST /orders',
  'PUT /orders/{id}',
  'PATCH /orders/{id}',
  'DELETE /orders/{id}',
  'POST /create-payment-intent',
];
const messages = [
  'Email is Required',
  'Provide a valid Email',
  'Password is Required',
  'Must be 6 characters or longer',
  'Name is Required',
  'Price is Required',
  'Product Added Successfully!',
  'Failed to add the Product',
  'Review Added Successfully!',
  'Failed to add the Review',
  'Product:{name} is Deleted.',
  'Order:{name} is Deleted.',
  'Make Admin Successfully',
  'Failed to make an admin!',
  'Add your product Successfully',
  'plz Input the write value',
  'Please Wait, Processing...',
];

test('docs/coverage.md lists every screen, call and message of the specification', () => {
  expect([...screens, ...calls].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  expect(messages.filter((message) => !page.includes(`"${message}"`))).toEqual([]);
});

test('every statement in docs/coverage.md names test files that exist, or folders with tests', () => {
  const statements = page.match(/^- .*/gm) ?? [];
  expect(statements.length).toBeGreaterThan(60);
  const tests = statements.map((line) => line.match(/(?<=`)\w[\w/.-]*(?:\.test\.ts|\/)(?=`)/g) ?? []);
  expect(statements.filter((_, index) => tests[index]?.length === 0)).toEqual([]);
  expect(tests.flat().filter((path) => !hasTests(root + path))).toEqual([]);
});

const hasTests = (path: string): boolean =>
  existsSync(path) && (!path.endsWith('/') || readdirSync(path).some((name) => name.endsWith('.test.ts')));
