import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buy, openPayment, placeOrder } from '../support/payments.ts';
import { readDescription, readText } from './page-text.ts';
import { openStage, type Stage } from './stage.ts';
import { waitForHeading } from './steps.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const pressDelete = (page: Page) => page.getByRole('button', { name: 'Delete my account' }).click();
/** The lists of what is deleted and what is kept. */
const readLists = async (page: Page) => Promise.all((await page.locator('main h2 + ul').all()).map(readText));

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
      await expect.poll(() => page.getByRole('main').getByRole('link', { name: number }).count()).toBe(1);

    const [deleted = '', kept = ''] = await readLists(page);
    expect(deleted).toContain('your passkeys, your two-factor sign-in');
    // The address was never confirmed.
    expect([deleted, kept].map((list) => list.includes('newsletter subscription'))).toEqual([false, true]);

    await pressDelete(page);
    const field = page.getByRole('textbox', { name: 'Password' });
    await expect.poll(() => readDescription(field)).toContain('Password is Required');
    await field.fill('not the password');
    await pressDelete(page);
    await expect.poll(() => readDescription(field)).toContain('Invalid password');
    await field.fill(person.password);
    await pressDelete(page);
    await page.getByText(`You have started to pay for order ${unpaid.number}`).waitFor();
    await shop.client(person).call('deleteOrder', { params: { id: unpaid._id } });
    await field.fill(person.password);
    await pressDelete(page);
    await waitForHeading(page, 'Your account is deleted');
    const said = await readText(page.getByRole('main'));
    for (const exception of ['Paid orders keep', 'texts of your reviews stay', 'newsletter subscription'])
      expect(said).toContain(exception);
    // The link has no `?from=` to return to this page.
    await page.locator('a[href="/login"]', { hasText: 'signIn' }).first().waitFor({ state: 'attached' });
    await page.goto('/dashboard');
    await waitForHeading(page, 'Login');
    if (javaScriptEnabled)
      await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });
});

test('with a confirmed address, the newsletter subscription is deleted, too', async () => {
  const person = await stage.shop.signUpConfirmed('Nora Newcomer');
  const page = await stage.open({ as: person });
  await page.goto('/dashboard/delete-account');
  await waitForHeading(page, 'Delete your account');
  await expect
    .poll(async () => (await readLists(page)).map((list) => list.includes('newsletter subscription')))
    .toEqual([true, false]);
});
