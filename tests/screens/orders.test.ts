import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { buy, confirmIntent, openPayment, placeOrder, reportPaid, shipOrder } from '../support/payments.ts';
import { holdRequests } from './held-requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
let product: Product;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  product = await stage.shop.addProduct({ name: 'Mainspring winder', price: 12.5, a_quantity: 1000 });
});
afterAll(() => stage?.close());

describe('My Orders', () => {
  test('says that it is empty and links to the products', async () => {
    const page = await stage.open({ as: await stage.shop.signUp() });
    await openPath(page, '/dashboard/myOrder');
    await page.getByRole('heading', { name: 'No orders yet' }).waitFor();
    await page
      .getByRole('main')
      .getByRole('link', { name: /products/i })
      .click();
    await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  });

  test('an unpaid order shows its price in $, Pay and Delete, which asks in a dialog that names it', async () => {
    const nora = await stage.shop.signUp();
    await placeOrder(stage.shop, nora, product, 3);
    const page = await stage.open({ as: nora });
    await openPath(page, '/dashboard/myOrder');
    const row = page.getByRole('article').filter({ hasText: 'Mainspring winder' });
    await expect.poll(() => readText(row)).toContain('$37.50');
    await expect
      .poll(() => row.getByRole('link', { name: 'Pay for Mainspring winder' }).isVisible())
      .toBe(true);
    const remove = row.getByRole('button', { name: 'Delete the order for Mainspring winder' });

    await remove.click();
    const dialog = page.getByRole('dialog', {
      name: 'Delete the order for Mainspring winder?',
      includeHidden: true,
    });
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await remove.click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => row.count()).toBe(1);

    await remove.click();
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await dialog.getByRole('button', { name: 'Delete the order' }).click();
    // The specification sends this call without a token.
    expect((await sent).headers().authorization).toBeUndefined();
    await expectToast(page, 'Order:Mainspring winder is Deleted.');
    await page.getByRole('heading', { name: 'No orders yet' }).waitFor();
  });

  test('a long word in an address pushes no button off a narrow screen', async () => {
    const nora = await stage.shop.signUp();
    await stage.shop.client(nora).call('placeOrder', {
      body: {
        orderId: product._id,
        orderQuantity: 1,
        price: 12.5,
        user: nora.email,
        address: 'x'.repeat(300),
      },
    });
    const page = await stage.open({ as: nora, viewport: { width: 768, height: 900 } });
    await openPath(page, '/dashboard/myOrder');
    const remove = await page.getByRole('button', { name: /^Delete the order/ }).boundingBox();
    expect(remove && remove.x + remove.width).toBeLessThanOrEqual(768);
  });

  test('a paid order shows the word paid and its transaction id, and can be neither paid nor deleted', async () => {
    const nora = await stage.shop.signUp();
    const { intent } = await buy(stage.shop, nora, product);
    const page = await stage.open({ as: nora });
    await openPath(page, '/dashboard/myOrder');
    const row = page.getByRole('article').filter({ hasText: intent.id });
    await row.getByText('paid', { exact: true }).waitFor();
    await expect.poll(() => row.getByRole('link', { name: /^Pay/ }).count()).toBe(0);
    await expect.poll(() => row.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
  });

  test.each([401, 403])(
    'a %s for the orders signs out, removes the token and redirects to the home page with the reason',
    async (status) => {
      const page = await stage.open({ as: await stage.shop.signUp(), expected: [/status of 40[13]/] });
      await openPath(page, '/dashboard');
      await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeTruthy();
      const problem = { type: 'urn:problem:forbidden', title: 'No', status, detail: 'No.', requestId: '1' };
      await page.route('**/api/orders?*', (route) =>
        route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
      );
      await page.getByRole('link', { name: 'My Orders' }).click();
      await page.waitForURL(`${stage.shop.origin}/?reason=orders`);
      await page.getByText('You were signed out because your orders could not be opened.').waitFor();
      await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeNull();
      await page.getByRole('link', { name: 'signIn' }).first().waitFor();
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await page.waitForURL('**/login?from=/dashboard/myOrder');
      await openPath(page, '/dashboard');
      await page.waitForURL('**/login?from=%2Fdashboard');
    },
  );

  test('the reason is shown without JavaScript, and the address cannot supply its text', async () => {
    const page = await stage.open({ javaScriptEnabled: false, expected: [/static\/js\/.*: csp$/] });
    await page.goto('/?reason=orders');
    await page.getByText('You were signed out because your orders could not be opened.').waitFor();
    await page.goto('/?reason=Call+0800+1234');
    await expect.poll(() => page.getByText('0800').count()).toBe(0);
  });
});

test('an order’s page starts with its status and the next thing to do; for an admin, Ship is above the refund', async () => {
  const { shop } = stage;
  const [nora, ada] = [await shop.signUp(), await shop.admin()];
  const order = await placeOrder(shop, nora, product);
  const page = await stage.open({ as: nora });
  const path = `/dashboard/orders/${order.number}`;
  const status = page.getByRole('region', { name: 'Status' });
  const readLinks = () => status.getByRole('link').allInnerTexts();
  await openPath(page, path);
  await status.getByText('Waiting for your payment.').waitFor();
  expect(await readLinks()).toEqual(['Pay']);

  const intent = await openPayment(shop, nora, order);
  await confirmIntent(shop, intent);
  await reportPaid(shop, nora, order, intent);
  await openPath(page, path);
  await status.getByText('Paid. We’re preparing your parcel.').waitFor();
  expect(await readLinks()).toEqual([]);

  const desk = await stage.open({ as: ada });
  await openPath(desk, path);
  const text = await readText(desk.getByRole('main'));
  expect(text.indexOf('Tracking number (optional)')).toBeLessThan(text.indexOf('Refund…'));
  expect(await desk.getByRole('region', { name: 'Status' }).count()).toBe(0);

  await shipOrder(shop.client(ada), {
    params: { id: order._id },
    body: { orderStatus: 'sipping', trackingNumber: '1Z5R89390357567127' },
  });
  await openPath(page, path);
  await status.getByText('On its way with UPS.').waitFor();
  expect(await readLinks()).toEqual(['Track the parcel']);
});

describe('Payment', () => {
  const findPayButton = (page: Page) => page.getByRole('button', { name: 'Pay USD 25.00' });

  test('Pay names the amount, and is disabled until the client secret has arrived', async () => {
    const nora = await stage.shop.signUp();
    const order = await placeOrder(stage.shop, nora, product, 2);
    const page = await stage.open({ as: nora });
    const release = await holdRequests(page, '**/create-payment-intent');
    await openPath(page, `/dashboard/payment/${order._id}`);
    await findPayButton(page).waitFor();
    await page.locator('iframe[title="Secure card payment input frame"]').waitFor();
    await expect.poll(() => findPayButton(page).isDisabled()).toBe(true);
    release();
    await expect.poll(() => findPayButton(page).isDisabled()).toBe(false);
  });

  test("an incomplete card shows the provider's message", async () => {
    const nora = await stage.shop.signUp();
    const order = await placeOrder(stage.shop, nora, product, 2);
    const page = await stage.open({ as: nora });
    await openPath(page, `/dashboard/payment/${order._id}`);
    await findPayButton(page).click();
    await page.getByRole('alert').filter({ hasText: 'Your card number is incomplete.' }).waitFor();
  });

  test('the page of a paid order shows the transaction id and takes no card', async () => {
    const nora = await stage.shop.signUp();
    const { order, intent } = await buy(stage.shop, nora, product);
    const page = await stage.open({ as: nora });
    await openPath(page, `/dashboard/payment/${order._id}`);
    const notice = page.getByRole('status').filter({ hasText: 'This order is paid' });
    await notice.waitFor();
    await expect.poll(() => readText(notice)).toContain(intent.id);
    await expect.poll(() => page.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
  });

  test('the page says so if the order is paid in another window in the meantime', async () => {
    const nora = await stage.shop.signUp();
    const order = await placeOrder(stage.shop, nora, product, 2);
    const page = await stage.open({ as: nora, expected: [/status of 409/] });
    const release = await holdRequests(page, '**/create-payment-intent');
    await openPath(page, `/dashboard/payment/${order._id}`);
    await findPayButton(page).waitFor();
    const intent = await openPayment(stage.shop, nora, order);
    await confirmIntent(stage.shop, intent);
    await reportPaid(stage.shop, nora, order, intent);
    release();
    await page.getByRole('status').filter({ hasText: intent.id }).waitFor();
  });

  test("another user's order and an unknown order are a 404", async () => {
    const order = await placeOrder(stage.shop, await stage.shop.signUp(), product);
    const page = await stage.open({ as: await stage.shop.signUp(), expected: [/status of 404/] });
    for (const id of [order._id, 'no-such-order']) {
      const response = await openPath(page, `/dashboard/payment/${id}`);
      expect(response?.status()).toBe(404);
      await expect
        .poll(() => readText(page.getByRole('main')))
        .toMatch(/not (found|known|here)|no such|unknown/i);
      await expect.poll(() => page.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
    }
  });

  test('if the provider is unreachable, the page says so and disables Pay', async () => {
    const nora = await stage.shop.signUp();
    const order = await placeOrder(stage.shop, nora, product, 2);
    const page = await stage.open({ as: nora, expected: [/status of 503/] });
    const problem = {
      type: 'urn:problem:provider_unreachable',
      title: 'The card provider cannot be reached',
      status: 503,
      detail: 'The card provider cannot be reached. Try again in a moment.',
      requestId: '1',
    };
    await page.route('**/create-payment-intent', (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await openPath(page, `/dashboard/payment/${order._id}`);
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await expect.poll(() => findPayButton(page).isDisabled()).toBe(true);
  });

  test('if the card field fails to load, the page says so, and Retry loads it', async () => {
    const nora = await stage.shop.signUp();
    const order = await placeOrder(stage.shop, nora, product, 2);
    const page = await stage.open({ as: nora, expected: [/sandbox\/stripe|ERR_FAILED/] });
    await page.route('**/sandbox/stripe/**', (route) => route.abort());
    await openPath(page, `/dashboard/payment/${order._id}`);
    await page.getByText(/The card field could not be loaded/).waitFor();
    await page.unroute('**/sandbox/stripe/**');
    await page.getByRole('button', { name: 'Retry' }).click();
    await findPayButton(page).waitFor();
  });
});
