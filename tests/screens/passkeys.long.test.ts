import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAuthenticator } from './authenticator.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test.each(['light', 'dark'] as const)(
  'in %s mode: add a passkey by keyboard, sign in with it, and remove it',
  async (colorScheme) => {
    const tom = await stage.shop.signUp();
    const page = await stage.open({ as: tom, colorScheme, expected: [/status of 4(01|22)/] });
    await addAuthenticator(page);
    await openPath(page, '/dashboard');
    await page.getByRole('link', { name: 'Passkeys', exact: true }).click();
    await page.getByText('You have no passkeys yet.').waitFor();
    await page.getByLabel('Name').fill('My phone');
    await page.getByLabel('Password', { exact: true }).fill('not-the-password');
    await page.keyboard.press('Enter');
    await page.getByText('Invalid password').first().waitFor();
    await page.getByLabel('Password', { exact: true }).fill(tom.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove My phone' }).waitFor();
    await expect
      .poll(() => heading(page, 'Your passkeys').evaluate((node) => node === document.activeElement))
      .toBe(true);

    await page.getByRole('button', { name: 'signOut', exact: true }).click();
    await page.getByRole('link', { name: 'signIn' }).first().waitFor();
    await openPath(page, '/dashboard/passkeys');
    await heading(page, 'Login').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Passkeys').waitFor();

    await page.getByRole('button', { name: 'Remove My phone' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password', { exact: true }).fill('not-the-password');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('Invalid password').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(tom.password);
    await page.keyboard.press('Enter');
    await page.getByText('You have no passkeys yet.').waitFor();
    await page.getByRole('button', { name: 'signOut', exact: true }).click();
    await page.getByRole('link', { name: 'signIn' }).first().waitFor();
    await openPath(page, '/login');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('The shop does not know this passkey').waitFor();
  },
);

test('if the device offers no passkey, the login page says so below the button', async () => {
  const page = await stage.open();
  const { refuseUser } = await addAuthenticator(page);
  await openPath(page, '/login');
  await refuseUser();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  const problem = page.getByRole('alert').getByText('The request for your passkey was cancelled');
  const [top = 0, bottom = 0] = await Promise.all(
    [problem, page.getByRole('button', { name: 'Sign in with a passkey' })].map(
      async (element) => (await element.boundingBox())?.y,
    ),
  );
  expect(top).toBeGreaterThan(bottom);
});
