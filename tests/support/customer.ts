import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A customer's actions in a browser. The actions find elements by what a person sees: headings, labels, names of buttons. */

export async function signUp(page: Page, name: string, email: string): Promise<void> {
  await page.goto('/signup');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill('anchor-escapement');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  const login = page.getByRole('button', { name: 'Login', exact: true });
  // Until the sign-in page has loaded, the home page has fields for an email address, too.
  const form = page.locator('form').filter({ has: login });
  await form.getByLabel('Email').fill(email);
  await form.getByLabel('Password').fill(password);
  await login.click();
}

/** From the sign-in or sign-up form to the products, as a new user of the stand-in for Google. */
export async function signUpWithGoogle(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByRole('button', { name: 'marit.lindqvist@gmail.example' }).click();
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await page.getByText('Marit Lindqvist').first().waitFor();
}

/** From the products to the payment page: orders the first product in the form's default quantity. */
export async function orderFirstProduct(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: /^Order / })
    .first()
    .click();
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.getByText('Add your product Successfully').waitFor();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
}

/** From My Orders to the payment page, with the card field filled. */
export async function startPayment(page: Page, number: string): Promise<void> {
  await page.getByRole('link', { name: /^Pay for / }).click();
  await fillCardField(page, number);
}

export async function fillCardField(page: Page, number: string): Promise<void> {
  const card = page.frameLocator('iframe[title="Secure card payment input frame"]');
  await card.getByLabel('card number').fill(number);
  await card.getByLabel('expiration').fill('12 / 40');
  await card.getByLabel('CVC').fill('123');
  await card.getByLabel('Postal code').fill('94107');
}

/** Presses Pay. An order without an address is paid without one. */
export async function submitPayment(page: Page): Promise<void> {
  const goOn = page.getByRole('button', { name: 'Continue without an address' });
  if (await goOn.isVisible()) await goOn.click();
  await page.getByRole('button', { name: /^Pay / }).click();
}

/** Waits for the congratulation and returns the transaction id in it. */
export async function waitForTransactionId(page: Page): Promise<string> {
  const notice = page.getByRole('status').filter({ hasText: 'Congratulations' });
  await notice.waitFor();
  const transaction = (await notice.getByText(/^pi_\w+$/).textContent()) ?? '';
  expect(transaction).not.toBe('');
  return transaction;
}
