import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/customer.ts';
import { readDescription } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { followMessage, pressButton, waitForHeading } from './steps.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const newPassword = 'verge-and-foliot';
const findForm = (page: Page) => page.locator('form', { hasText: 'Change email address' });

describe.each([
  ['with scripts', true],
  ['without scripts', false],
] as const)('%s', (_, javaScriptEnabled) => {
  test('a user changes their address with a link, and the former address undoes it', async () => {
    const { shop } = stage;
    const person = await shop.signUpConfirmed('Cora Changes');
    const newEmail = `new-${person.email}`;
    const page = await stage.open({
      as: person,
      javaScriptEnabled,
      expected: [/static\/js\/.*: csp$/, /status of (400|422)/],
    });
    await page.goto('/dashboard');
    const form = findForm(page);
    await form.getByLabel('New email address').fill('cora at example.com');
    await form.getByRole('button', { name: 'Send a link to the new address' }).click();
    await expect
      .poll(() => readDescription(form.getByLabel('New email address')))
      .toContain('Provide a valid Email');
    await form.getByLabel('New email address').fill(newEmail);
    await form.getByLabel('Password', { exact: true }).fill('not-the-password');
    await form.getByRole('button', { name: 'Send a link to the new address' }).click();
    const password = form.getByLabel('Password', { exact: true });
    await expect.poll(() => readDescription(password)).toContain('Invalid password');
    await password.fill(person.password);
    await password.press('Enter');
    // After a plain post, the page does not know the address.
    const sentTo = javaScriptEnabled ? newEmail : 'the new address';
    await form.getByRole('status').getByText(`Open the link that we’ve sent to ${sentTo} within`).waitFor();

    await followMessage(stage.shop, page, 'Confirm your new email address', 'Confirm your new address');
    await waitForHeading(page, 'Change your email address');
    const link = page.url();
    await page.locator('main').getByText(person.email, { exact: true }).waitFor();
    await page.locator('main').getByText(newEmail, { exact: true }).waitFor();
    await pressButton(page, 'Change my email address');
    await page.getByRole('alert').getByText(`Your account’s email address is now ${newEmail}`).waitFor();
    expect(new URL(page.url()).search).toBe('?done=changed');
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.locator('#signing-in + p').getByText(newEmail).waitFor();
    await page.goto(link);
    await pressButton(page, 'Change my email address');
    await page.getByRole('alert').getByText('This link has expired or has already been used.').waitFor();

    await followMessage(stage.shop, page, 'The email address of your account was changed', 'Undo the change');
    await waitForHeading(page, 'Undo the change');
    await page.getByLabel('New password').fill(newPassword);
    await pressButton(page, 'Undo the change');
    await page.getByRole('alert').getByText('your account has its former email address again').waitFor();
    await signIn(page, person.email, newPassword);
    await page.getByText('Cora Changes').first().waitFor();
  });

  test('after sign-up, Products says that a message was sent', async () => {
    const page = await stage.open({ javaScriptEnabled, expected: [/static\/js\/.*: csp$/] });
    await page.goto('/signup');
    const email = `nora-${javaScriptEnabled}@example.com`;
    await page.getByLabel('Name').fill('Nora Newcomer');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(newPassword);
    await pressButton(page, 'Sign up');
    await waitForHeading(page, 'Products');
    await page.getByRole('status').getByText(`We’ve sent an email to ${email}`).waitFor();
    await page.goto('/blogs');
    await page.goto('/products');
    await waitForHeading(page, 'Products');
    await expect.poll(() => page.getByText('We’ve sent an email').count()).toBe(0);
  });
});

test('a visitor who opens the link signs in and returns to it', async () => {
  const { shop } = stage;
  const person = await shop.signUp('Dora Elsewhere');
  const page = await stage.open();
  await openPath(page, '/change-address?token=sample');
  await waitForHeading(page, 'Login');
  await signIn(page, person.email, person.password);
  await waitForHeading(page, 'Change your email address');
  expect(new URL(page.url()).search).toBe('?token=sample');
});
