import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage, waitForHydration } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ settings: { OPEN_CATALOGUE: 'yes' } });
});
afterAll(() => stage?.close());

test.each([true, false])(
  'a visitor opens a product from the home page, signs in to order, and returns with the quantity (scripts: %s)',
  async (javaScriptEnabled) => {
    const { name, _id } = await stage.product();
    const { email, password } = await stage.shop.signUp();
    const page = await stage.open({ javaScriptEnabled });
    await page.goto('/');
    // Otherwise the quantity may be typed before the next page's script runs.
    if (javaScriptEnabled) await waitForHydration(page);
    await page.getByRole('link', { name: `Order ${name}` }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.locator('#orderQuantity').fill('3');
    await page.getByRole('button', { name: 'Sign in to order' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Login' }).click();
    await page.getByRole('button', { name: 'Place order' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/purchase/${_id}`);
    await expect.poll(() => page.locator('#orderQuantity').inputValue()).toBe('3');
    await page.close();
  },
);

test('a visitor who creates an account gets a link back to the product', async () => {
  const { name } = await stage.product();
  const page = await stage.open();
  await page.goto('/products');
  await page.getByRole('link', { name: `Order ${name}` }).click();
  await page.getByRole('button', { name: /^One more/ }).click();
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Name').fill('Ann');
  await page.getByLabel('Email').fill('ann@mail.example');
  await page.getByLabel('Password', { exact: true }).fill('verge-and-foliot');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('link', { name: `Continue to ${name}` }).click();
  await page.getByRole('button', { name: 'Place order' }).waitFor();
  await expect.poll(() => page.locator('#orderQuantity').inputValue()).toBe('2');
  await page.close();
});
