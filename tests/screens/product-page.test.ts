import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { phone } from '../support/browser.ts';
import { findButton } from './buttons.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

const addProduct = () => stage.shop.addProduct({ name: 'Taper pins', price: 2 });
const bar = (page: Page) => page.locator('.buy-bar');

test.each([390, 1280])('at %i px, the page is in the order in which it is seen', async (width) => {
  const { _id } = await addProduct();
  const page = await stage.open({ as: await stage.shop.signUp(), viewport: { width, height: 800 } });
  await openPath(page, `/purchase/${_id}`);
  const parts = page.getByRole('main').locator('img[fetchpriority=high], h1, h2');
  const listed = await parts.evaluateAll((elements) =>
    elements.map((element) => [element.textContent, element.getBoundingClientRect().top] as const),
  );
  const titles = ['', 'Taper pins', 'Description', 'Specification', 'Order form', 'Reviews'];
  expect(listed.map(([text]) => text)).toEqual(titles);
  const tops = listed.map(([, top]) => top);
  if (width === 390) expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  else {
    // The right column has no gap below the button.
    const [orderForm, button] = [tops[4], await page.locator('#add-form').boundingBox()];
    expect(orderForm).toBeLessThan((button?.y ?? 0) + (button?.height ?? 0) + 80);
  }
});

test('in dark mode, the drawing of a wide page is dimmed more than that of a phone', async () => {
  const { _id } = await addProduct();
  const page = await stage.open({ colorScheme: 'dark', as: await stage.shop.signUp() });
  await openPath(page, `/purchase/${_id}`);
  const plate = page.locator('.lamplit-plate');
  for (const [width, filter] of [
    [599, 'none'],
    [600, 'brightness(0.9)'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(() => plate.evaluate((element) => getComputedStyle(element).filter)).toBe(filter);
  }
});

test('the button says how many are in the basket, after a press and when the page is opened again', async () => {
  const { _id } = await addProduct();
  const nora = await stage.shop.signUp();
  const page = await stage.open({ as: nora });
  await openPath(page, `/purchase/${_id}`);
  await findButton(page.locator('#add-form'), /^One more/).click();
  await findButton(page, 'Add to basket').click();
  const button = page.getByRole('button', { name: '2 in your basket' });
  await button.waitFor();
  // The button keeps the focus.
  await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
  await button.press('Enter');
  await page.getByRole('button', { name: '4 in your basket' }).waitFor();
  await openPath(page, `/purchase/${_id}`);
  await page.getByRole('button', { name: '4 in your basket' }).waitFor();
  await page.getByRole('link', { name: 'View your basket' }).click();
  await page.getByRole('heading', { name: 'Basket', level: 1 }).waitFor();
});

test('both forms show and send the same quantity', async () => {
  const { _id } = await addProduct();
  const nora = await stage.shop.signUp();
  const page = await stage.open({ as: nora });
  await openPath(page, `/purchase/${_id}`);
  const [upper, lower] = [page.locator('#addQuantity'), page.locator('#orderQuantity')];
  await upper.fill('3');
  await expect.poll(() => lower.inputValue()).toBe('3');
  await findButton(page.locator('#order-form'), /^One more/).click();
  await expect.poll(() => upper.inputValue()).toBe('4');
  await findButton(page, 'Place order').click();
  const listOrders = () => stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
  await expect.poll(listOrders).toMatchObject([{ orderQuantity: 4 }]);
});

test('on a phone, a bar adds to the basket once the button has scrolled away, and makes way for a field', async () => {
  const { _id } = await addProduct();
  const page = await stage.open({ as: await stage.shop.signUp(), ...phone });
  await openPath(page, `/purchase/${_id}`);
  await findButton(page, 'Add to basket').waitFor();
  await expect.poll(() => bar(page).count()).toBe(0);
  await findButton(page, 'Place order').scrollIntoViewIfNeeded();
  await bar(page).getByText('USD 2.00').waitFor();
  await bar(page).getByRole('button', { name: 'Add to basket' }).click();
  await bar(page).getByRole('link', { name: '1 in your basket' }).waitFor();
  await page.getByLabel(/^Phone/).focus();
  await expect.poll(() => bar(page).isVisible()).toBe(false);
  await page.getByLabel(/^Phone/).blur();
  await expect.poll(() => bar(page).isVisible()).toBe(true);
  // The bar does not cover the end of the page.
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
  const end = await page.getByRole('contentinfo').evaluate((footer) => footer.getBoundingClientRect().bottom);
  expect(end).toBeLessThanOrEqual((await bar(page).boundingBox())?.y ?? 0);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await expect.poll(() => bar(page).count()).toBe(0);
});

test('on a wide screen, the promises are in one row below both columns, so that neither column has a gap', async () => {
  const { _id } = await addProduct();
  const ada = stage.shop.client(await stage.shop.admin());
  const { environment: _, ...details } = await ada.call('getShopDetails', {});
  const promises = { delivery: 'Sent within two days', deliveryShown: true };
  await ada.call('saveShopDetails', { body: { ...details, ...promises } });
  const page = await stage.open({ as: await stage.shop.signUp(), viewport: { width: 1280, height: 800 } });
  await openPath(page, `/purchase/${_id}`);
  const list = await page.getByRole('main').getByRole('list', { name: 'What we promise' }).boundingBox();
  const form = await page.locator('#order-form').boundingBox();
  expect(list?.y).toBeGreaterThan((form?.y ?? 0) + (form?.height ?? 0));
  expect(list?.width).toBeGreaterThan(1000);
});
