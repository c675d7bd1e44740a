import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillCardField, signIn, submitPayment, waitForTransactionId } from '../support/customer.ts';
import { createPhoto } from './image-files.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** Records the calls of a page as the specification lists them: method, path and whether they carry the token. */
function recordCalls(page: Page) {
  const calls = new Map<string, unknown>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/api/') || pathname.startsWith('/api/auth/')) return;
    const path = pathname
      .slice(4)
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '{id}')
      .replace(/[^/]+(@|%40)[^/]+/, '{email}');
    const token = request.headers().authorization?.startsWith('Bearer ') ? 'bearer' : 'none';
    calls.set(`${request.method()} ${path} ${token}`, request.postDataJSON());
  });
  return calls;
}

const followLink = (page: Page, name: string | RegExp, heading: string | RegExp) =>
  page
    .getByRole('link', { name })
    .first()
    .click()
    .then(() => page.getByRole('heading', { name: heading, level: 1 }).waitFor());

test('a customer’s calls carry the token and the body that the specification requires', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const page = await stage.open();
  const calls = recordCalls(page);
  await openPath(page, '/login');
  await signIn(page, nora.email, nora.password);
  await page.waitForURL(`${stage.shop.origin}/`);
  await followLink(page, 'Products', 'Products');
  await followLink(page, /^Order /, /winder/);
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  await fillCardField(page, '4242 4242 4242 4242');
  await submitPayment(page);
  const transactionId = await waitForTransactionId(page);

  await followLink(page, 'Products', 'Products');
  await followLink(page, /^Order /, /winder/);
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  await followLink(page, 'My Orders', 'My Orders');
  await page.getByRole('button', { name: /^Delete the order/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the order' }).click();
  await page.getByText(/is Deleted/).waitFor();

  await followLink(page, 'Add Review', 'Add Review');
  await page.getByRole('radio', { name: /^5 stars/ }).check();
  await page.getByLabel('Comments').fill('Winds.');
  await page.getByLabel('Image').setInputFiles(await createPhoto());
  await page.getByRole('button', { name: 'Add Review' }).click();
  await page.getByText('Review Added Successfully!').waitFor();

  expect([...calls.keys()].sort()).toEqual([
    'DELETE /orders/{id} none',
    // Calls that are not in the specification use only the session cookie.
    'GET /basket none',
    'GET /orders bearer',
    'GET /orders/{id} bearer',
    'GET /products none',
    'GET /products/filters none',
    'GET /products/{id} none',
    'GET /products/{id}/related none',
    'GET /products/{id}/reviews none',
    'GET /purchases/{id} none',
    'GET /reviews none',
    'GET /reviews/products none',
    'PATCH /orders/{id} bearer',
    'POST /create-payment-intent bearer',
    'POST /orders none',
    'POST /review bearer',
    'PUT /user/{email} none',
  ]);
  const product = await stage.product();
  expect(calls.get('PUT /user/{email} none')).toEqual({ email: nora.email });
  expect(calls.get('POST /orders none')).toMatchObject({
    orderId: product._id,
    product: product.name,
    orderQuantity: 1,
    price: product.price,
    user: nora.email,
    userName: 'Nora Newcomer',
    phone: '',
    orderStatus: '',
  });
  expect(calls.get('POST /create-payment-intent bearer')).toMatchObject({ price: product.price });
  expect(calls.get('PATCH /orders/{id} bearer')).toMatchObject({ transactionId, orderStatus: 'paid' });
  expect(calls.get('POST /review bearer')).toMatchObject({
    name: 'Nora Newcomer',
    email: nora.email,
    rating: 5,
    reviews: 'Winds.',
  });
});

test('an admin’s calls carry the token where the specification requires it', async () => {
  const page = await stage.open({ as: await stage.shop.admin() });
  await openPath(page, '/dashboard');
  const calls = recordCalls(page);
  await followLink(page, 'All Orders', 'All Orders');
  await followLink(page, 'Make Admin', 'Make Admin');
  await followLink(page, 'Manage Products', 'Manage Products');
  expect([...calls.keys()].sort()).toEqual([
    'GET /admin/{email} bearer',
    'GET /categories none',
    'GET /order none',
    'GET /order/sums none',
    'GET /products bearer',
    // These calls are not in the specification, so they use only the session cookie.
    'GET /restored-backup none',
    'GET /unknown-payments none',
    'GET /user bearer',
  ]);
});
