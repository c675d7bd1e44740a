import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPayment, submitPayment, waitForTransactionId } from '../support/customer.ts';
import { buy, placeOrder } from '../support/payments.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

async function openMyOrders(expected: RegExp[] = []): Promise<Page> {
  const nora = await stage.shop.signUp('Nora Newcomer');
  await placeOrder(stage.shop, nora, await stage.shop.addProduct({ name: 'Depthing tool' }));
  const page = await stage.open({ as: nora, expected });
  await openPath(page, '/dashboard/myOrder');
  return page;
}

const findHold = (page: Page) => page.getByText('Reserved for you until');

describe('a page restored from the history', () => {
  test('My Orders shows an order as paid once it is paid', async () => {
    const page = await openMyOrders();
    await findHold(page).waitFor();
    await startPayment(page, '4242 4242 4242 4242');
    await submitPayment(page);
    const transaction = await waitForTransactionId(page);
    await page.goBack();
    await page.getByRole('heading', { name: 'My Orders', level: 1 }).waitFor();
    await page.getByText(transaction).waitFor();
    await expect.poll(() => findHold(page).count()).toBe(0);
    await expect.poll(() => page.getByRole('link', { name: /^Pay/ }).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
  });

  test('My Orders shows the payment after several steps back, too', async () => {
    const page = await openMyOrders();
    await startPayment(page, '4242 4242 4242 4242');
    await submitPayment(page);
    const transaction = await waitForTransactionId(page);
    await page.getByRole('main').getByRole('link', { name: 'My Orders' }).last().click();
    await page.getByRole('heading', { name: 'My Orders', level: 1 }).waitFor();
    await page.getByText(transaction).waitFor();
    await page.goBack();
    await page.getByRole('status').filter({ hasText: transaction }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'My Orders', level: 1 }).waitFor();
    await page.getByText(transaction).waitFor();
    await expect.poll(() => findHold(page).count()).toBe(0);
  });

  test('is reloaded when the browser restores it from the back/forward cache', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const product = await stage.shop.addProduct({ name: 'Star key' });
    const page = await stage.open({ as: nora });
    await openPath(page, '/dashboard/myOrder');
    await page.getByText('No orders yet').waitFor();
    const { intent } = await buy(stage.shop, nora, product);
    await restorePage(page);
    await page.getByText(intent.id).waitFor();
  });

  test('redirects to sign-in if its user has signed out in the meantime', async () => {
    // The header requests the basket at the same time.
    const page = await openMyOrders([/status of 401.*api\/basket/]);
    await page.evaluate(() =>
      fetch('/api/auth/sign-out', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      }),
    );
    await restorePage(page);
    await page.waitForURL('**/login?from=%2Fdashboard%2FmyOrder');
  });

  test('requests nothing if it is public and the visitor is anonymous', async () => {
    const page = await stage.open();
    await openPath(page, '/blogs');
    await page.waitForLoadState('networkidle');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await restorePage(page);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    expect(requests).toEqual([]);
  });
});

/** Fires the event of a page restored from the back/forward cache, which headless Chromium does not have. */
async function restorePage(page: Page): Promise<void> {
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
}
