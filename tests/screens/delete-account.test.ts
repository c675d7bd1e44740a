import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buy, openPayment, placeOrder } from '../support/payments.ts';
import { readDescription } from './page-text.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const waitForHeading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const pressDelete = (page: Page) => page.getByRole('button', { name: 'Delete my account' }).click();

describe.each([
  ['with scripts', true],
  ['without scripts', false],
] as const)('%s', (_, javaScriptEnabled) => {
  test('a user downloads their data, deletes their account and is signed out', async () => {
    const { shop } = stage;
    const person = await shop.signUp('Nora Newcomer');
    const product = await shop.addProduct({ a_quantity: 100 });
    const { order: paid } = await buy(shop, person, product);
    const unpaid = await placeOrder(shop, person, product);
    await openPayment(shop, person, unpaid);
    const page = await stage.open({
      as: person,
      javaScriptEnabled,
      expected: [/static\/js\/.*: csp$/, /status of (401|409|422)/],
    });
    await page.goto('/dashboard');
    const link = page.getByRole('link', { name: 'Download your data' });
    const file = await page.request.get((await link.getAttribute('href')) ?? '');
    expect(file.headers()['content-disposition']).toMatch(/^attachment; filename="my-data-.*\.json"$/);
    await page.getByRole('link', { name: 'Delete your account' }).click();
    await waitForHeading(page, 'Delete your account');
    for (const number of [paid.number, unpaid.number])
      expect(await page.getByRole('main').getByRole('link', { name: number }).count()).toBe(1);

    await pressDelete(page);
    const field = page.getByRole('textbox', { name: 'Password' });
    await expect.poll(() => readDescription(field)).toContain('Password is Required');
    await field.fill('not the password');
    await pressDelete(page);
    await expect.poll(() => readDescription(field)).toContain('Invalid password');
    await field.fill(person.password);
    await pressDelete(page);
    await page.getByText(`Order ${unpaid.number} has an open payment`).waitFor();
    await shop.client(person).call('deleteOrder', { params: { id: unpaid._id } });
    await field.fill(person.password);
    await pressDelete(page);
    await waitForHeading(page, 'Your account is deleted');
    // Without a return to this page.
    await page.locator('a[href="/login"]', { hasText: 'signIn' }).first().waitFor({ state: 'attached' });
    await page.goto('/dashboard');
    await waitForHeading(page, 'Login');
    if (javaScriptEnabled) expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });
});
