import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Order } from '../../contract/orders/orders.ts';
import { fillCardField, submitPayment, waitForTransactionId } from '../support/customer.ts';
import { listIntentStates, placeOrder, requestStripe } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

/** Places a new user's order of 2 out of 10 pieces, and opens its payment page with the card filled in. */
async function placeAndOpenOrder(expected: RegExp[] = []) {
  const nora = await stage.shop.signUp();
  const product = await stage.shop.addProduct();
  const order = await placeOrder(stage.shop, nora, product, 2);
  const readStock = async () =>
    (await stage.shop.client().call('getProduct', { params: { id: product._id } })).a_quantity;
  return { nora, order, readStock, page: await openPaymentPage(nora, order, expected) };
}

async function openPaymentPage(person: TestUser, order: Order, expected: RegExp[] = []): Promise<Page> {
  const page = await stage.open({ as: person, expected });
  await openPath(page, `/dashboard/payment/${order._id}`);
  await fillCardField(page, '4242 4242 4242 4242');
  return page;
}

test('if two windows pay an order at the same time, there is one charge, and both confirm it', async () => {
  const { nora, order, page } = await placeAndOpenOrder([/status of 400/]);
  const other = await openPaymentPage(nora, order, [/status of 400/]);
  await Promise.all([submitPayment(page), submitPayment(other)]);
  const transactions = await Promise.all([waitForTransactionId(page), waitForTransactionId(other)]);
  expect(new Set(transactions).size).toBe(1);
  await expect.poll(() => listIntentStates(stage.shop, order)).toEqual(['succeeded']);
  const { data: refunds } = await requestStripe(stage.shop, 'GET', '/refunds?limit=100');
  expect(refunds.filter(({ payment_intent }) => payment_intent === transactions[0])).toEqual([]);
});

test('an order that another window deletes while the card is entered is not charged', async () => {
  const { nora, order, readStock, page } = await placeAndOpenOrder([/status of 40[04]/]);
  await stage.shop.client(nora).call('deleteOrder', { params: { id: order._id } });
  await submitPayment(page);
  await page.getByText('There is no such order.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
  await expect.poll(() => listIntentStates(stage.shop, order)).toEqual(['canceled']);
  await expect.poll(() => readStock()).toBe(10);
});

test('an order whose hold ends while the card is entered is not charged, and can only be ordered again', async () => {
  const { order, readStock, page } = await placeAndOpenOrder([/status of (400|409)/]);
  await stage.shop.database.db
    .updateTable('purchase')
    .set({ hold_until: 1 })
    .where('id', '=', order._id)
    .execute();
  await stage.shop.doPeriodicWork();
  await submitPayment(page);
  await page.getByText('This order was not paid in time, so its reservation has ended.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
  await expect.poll(() => listIntentStates(stage.shop, order)).toEqual(['canceled']);
  await expect.poll(() => readStock()).toBe(10);
  await page.getByRole('button', { name: 'Order again' }).click();
  await page.getByRole('heading', { name: 'Basket', level: 1 }).waitFor();
});
