import type { Page } from 'playwright-core';
import { waitForDelivery } from '../support/letters.ts';
import type { TestShop } from '../support/shop.ts';

export const pressButton = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click();

export const waitForHeading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

/** Opens the newest message with this subject in the sandbox's inbox and follows its button. */
export async function followMessage(
  shop: TestShop,
  page: Page,
  subject: string,
  button: string,
): Promise<void> {
  await waitForDelivery(shop);
  await page.goto('/sandbox/mail');
  await page.getByRole('link', { name: subject }).first().click();
  await page.frameLocator('iframe').getByRole('link', { name: button }).click();
}
