import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { signIn } from '../support/customer.ts';
import type { TestUser } from '../support/requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ settings: { OPEN_CATALOGUE: 'yes' } });
});
afterAll(() => stage?.close());

const addSoldOut = () => stage.shop.addProduct({ name: 'Pin vise', a_quantity: 0 });
const isWaiting = async (person: TestUser, { _id: id }: Product) =>
  (await stage.shop.client(person).call('getProduct', { params: { id } })).backInStock ?? false;
const findButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test.each([true, false])(
  'a customer waits for a sold-out tool and stops waiting (scripts: %s)',
  async (javaScriptEnabled) => {
    const [tom, product] = [await stage.shop.signUpConfirmed('Tom Tompion'), await addSoldOut()];
    const expected = javaScriptEnabled ? [] : [/static\/js\/.*: csp$/];
    const page = await stage.open({ as: tom, javaScriptEnabled, expected });
    const path = `/purchase/${product._id}`;
    await (javaScriptEnabled ? openPath(page, path) : page.goto(path));
    await findButton(page, 'Tell me when it’s back').press('Enter');
    await findButton(page, 'Unsubscribe').waitFor();
    await page.getByRole('status').getByText(`One email to ${tom.email}.`).waitFor();
    await expect.poll(() => isWaiting(tom, product)).toBe(true);
    expect(new URL(page.url()).pathname).toBe(path);
    // The button keeps the focus, so that the keyboard can take the request back.
    if (javaScriptEnabled)
      await expect
        .poll(() => findButton(page, 'Unsubscribe').evaluate((it) => it === document.activeElement))
        .toBe(true);
    await findButton(page, 'Unsubscribe').press('Enter');
    await findButton(page, 'Tell me when it’s back').waitFor();
    await expect.poll(() => isWaiting(tom, product)).toBe(false);
  },
);

test.each([true, false])(
  'a tool that has come back meanwhile can be ordered at once (scripts: %s)',
  async (javaScriptEnabled) => {
    const [tom, product] = [await stage.shop.signUpConfirmed('Tom Tompion'), await addSoldOut()];
    const expected = [/static\/js\/.*: csp$/, /status of 409/];
    const page = await stage.open({ as: tom, javaScriptEnabled, expected });
    const path = `/purchase/${product._id}`;
    await (javaScriptEnabled ? openPath(page, path) : page.goto(path));
    const delivery = { change: 3, reason: 'delivery' } as const;
    await stage.shop
      .client(await stage.shop.admin())
      .call('adjustStock', { params: { id: product._id }, body: delivery });
    await findButton(page, 'Tell me when it’s back').click();
    await page.getByText('This tool is in stock: you can order it now.').first().waitFor();
    await findButton(page, 'Place order').waitFor();
    await expect.poll(() => isWaiting(tom, product)).toBe(false);
  },
);

test('a visitor signs in first and returns to the tool', async () => {
  const product = await addSoldOut();
  const page = await stage.open();
  await openPath(page, `/purchase/${product._id}`);
  await page.getByRole('link', { name: 'Sign in to be notified when it’s back' }).click();
  const tom = await stage.shop.signUpConfirmed('Tom Tompion');
  await signIn(page, tom.email, tom.password);
  await findButton(page, 'Tell me when it’s back').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/purchase/${product._id}`);
});

test.each([true, false])(
  'a customer with an unconfirmed address can get the link again on the page of a sold-out tool (scripts: %s)',
  async (javaScriptEnabled) => {
    const [tom, product] = [await stage.shop.signUp(), await addSoldOut()];
    const expected = javaScriptEnabled ? [] : [/static\/js\/.*: csp$/];
    const page = await stage.open({ as: tom, javaScriptEnabled, expected });
    const path = `/purchase/${product._id}`;
    await (javaScriptEnabled ? openPath(page, path) : page.goto(path));
    await findButton(page, 'Send the link again').click();
    await page.getByText('Sent. Check your inbox.').waitFor();
    expect(new URL(page.url()).pathname).toBe(javaScriptEnabled ? path : '/dashboard');
  },
);
