import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { signIn } from '../support/customer.ts';
import type { TestUser } from '../support/requests.ts';
import { computeCode, turnOnTwoFactor } from '../support/two-factor.ts';
import { readDescription } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  // The package would otherwise download this file.
  const file = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  const wasmBinary = new Uint8Array(readFileSync(file)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
});
afterAll(() => stage?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const rejected = [/status of 401/];
const expectFocus = (element: Locator) =>
  expect.poll(() => element.evaluate((node) => node === document.activeElement)).toBe(true);

/** Reads the QR code as a phone's camera would. */
async function scan(page: Page): Promise<string> {
  const image = await page.getByRole('img', { name: /^QR code/ }).screenshot();
  const [code] = await readBarcodes(new Blob([new Uint8Array(image)]), { formats: ['QRCode'] });
  return code?.text ?? expect.unreachable('The QR code cannot be read.');
}

/** Enters the password, which leads to the second step. */
async function openSecondStep(page: Page, person: TestUser, path: string): Promise<void> {
  await openPath(page, path);
  await signIn(page, person.email, person.password);
  await heading(page, 'Enter your code').waitFor();
}

test.each(['light', 'dark'] as const)(
  'in %s mode: turn on two-factor sign-in with the QR code, sign in with a code, and return to the requested page',
  async (colorScheme) => {
    const tom = await stage.shop.signUp();
    const page = await stage.open({ as: tom, colorScheme, expected: rejected });
    await openPath(page, '/dashboard');
    await page.getByRole('link', { name: 'Set up two-factor sign-in' }).click();
    await heading(page, 'Two-factor sign-in').waitFor();
    await page.getByLabel('Your password').fill(tom.password);
    await page.keyboard.press('Enter');
    await heading(page, 'Scan this with your authenticator app').waitFor();
    const url = new URL(await scan(page));
    expect(url.href).toMatch(/^otpauth:\/\/totp\/Hand-Tools%20Shop:person-/);
    const secret = url.searchParams.get('secret') ?? '';
    const key = secret.match(/.{1,4}/g)?.join(' ') ?? '';
    await page.getByText(key, { exact: true }).waitFor();

    await page.getByLabel('6-digit code').fill('12 34');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => readDescription(page.getByLabel('6-digit code')))
      .toContain('The code has 6 digits');
    // Some apps show the code in two groups.
    const code = computeCode(secret);
    await page.getByLabel('6-digit code').fill(code.replace(/^.../, '$& '));
    await page.keyboard.press('Enter');
    await heading(page, 'Your recovery codes').waitFor();
    const codes = await page
      .getByRole('listitem')
      .filter({ hasText: /^\w{5}-\w{5}$/ })
      .allInnerTexts();
    expect(codes).toHaveLength(10);
    const back = page.getByRole('link', { name: 'Back to your account' });
    await expect.poll(() => back.count()).toBe(0);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const file = readFileSync(await (await download).path(), 'utf8');
    for (const code of codes) expect(file).toContain(code);
    await press(page, 'I have saved them');
    await page.getByText('On. Your password alone').waitFor();
    await expectFocus(heading(page, 'Two-factor sign-in'));
    await expect.poll(() => back.count()).toBe(1);

    await press(page, 'signOut');
    await page.getByRole('link', { name: 'signIn' }).first().waitFor();
    await openSecondStep(page, tom, '/dashboard/review');
    // The same code does not work twice.
    await page.getByLabel('6-digit code').fill(code);
    await press(page, 'Login');
    await page.getByRole('alert').getByText('already used').waitFor();
    await page.getByLabel('6-digit code').fill(computeCode(secret, 1));
    await page.getByLabel('Trust this device for 30 days').check();
    await press(page, 'Login');
    await heading(page, 'Add Review').waitFor();

    await press(page, 'signOut');
    await page.getByRole('link', { name: 'signIn' }).first().waitFor();
    await openPath(page, '/dashboard/myOrder');
    await signIn(page, tom.email, tom.password);
    await heading(page, 'My Orders').waitFor();
  },
);

test('without scripts: a wrong code is rejected, and a recovery code leads to the requested page', async () => {
  const tom = await turnOnTwoFactor(stage.shop, await stage.shop.signUp(), 0);
  const page = await stage.open({
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /status of (401|422)/],
  });
  await page.goto('/dashboard/review');
  await signIn(page, tom.email, tom.password);
  await heading(page, 'Enter your code').waitFor();
  const field = page.getByLabel('6-digit code');
  await expect.poll(() => field.getAttribute('autocomplete')).toBe('one-time-code');
  await expect.poll(() => field.getAttribute('inputmode')).toBe('numeric');
  await press(page, 'Login');
  await expect.poll(() => readDescription(field)).toContain('Code is Required');
  await field.fill(tom.recoveryCodes[0] ?? '');
  await press(page, 'Login');
  await expect.poll(() => readDescription(field)).toContain('The code has 6 digits');
  await page.getByRole('link', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill('aaaaa-aaaaa');
  await page.getByLabel('Trust this device for 30 days').check();
  await press(page, 'Login');
  await page.getByRole('alert').getByText('This recovery code is wrong').waitFor();
  await expect.poll(() => page.getByLabel('Recovery code').inputValue()).toBe('');
  await expect.poll(() => page.getByLabel('Trust this device for 30 days').isChecked()).toBe(true);
  await page.getByLabel('Recovery code').fill(tom.recoveryCodes[0]?.toUpperCase().replace('-', ' ') ?? '');
  await press(page, 'Login');
  await heading(page, 'Add Review').waitFor();

  await press(page, 'signOut');
  await page.goto('/dashboard/review');
  await signIn(page, tom.email, tom.password);
  await heading(page, 'Add Review').waitFor();
});

test('a user creates new recovery codes, and turns two-factor sign-in off', async () => {
  const tom = await turnOnTwoFactor(stage.shop, await stage.shop.signUp(), 0);
  const page = await stage.open({ as: tom, expected: [/status of 400/] });
  await openPath(page, '/dashboard/two-factor');
  await press(page, 'Create new codes');
  await page.getByLabel('Your password').fill('not-the-password');
  await press(page, 'Create new codes');
  await page.getByRole('alert').getByText('Invalid password').waitFor();
  await page.getByLabel('Your password').fill(tom.password);
  await press(page, 'Create new codes');
  await heading(page, 'Your recovery codes').waitFor();
  await press(page, 'I have saved them');
  await press(page, 'Turn off');
  await press(page, 'Cancel');
  await expectFocus(page.getByRole('button', { name: 'Turn off', exact: true }));
  await press(page, 'Turn off');
  await page.getByLabel('Your password').fill(tom.password);
  await press(page, 'Turn off two-factor sign-in');
  await page.getByText('Off. Your password alone is enough').waitFor();
  await page.getByRole('button', { name: 'Set it up' }).waitFor();
  await expectFocus(heading(page, 'Two-factor sign-in'));
});

test('following a link, or going back, asks before new recovery codes are lost', async () => {
  const tom = await turnOnTwoFactor(stage.shop, await stage.shop.signUp(), 0);
  const page = await stage.open({ as: tom });
  await openPath(page, '/dashboard');
  await page.getByRole('link', { name: 'Recovery codes and settings' }).click();
  await press(page, 'Create new codes');
  await page.getByLabel('Your password').fill(tom.password);
  await press(page, 'Create new codes');
  await heading(page, 'Your recovery codes').waitFor();

  async function answer(choice: 'accept' | 'dismiss', leave: () => Promise<unknown>): Promise<void> {
    const asked = page.waitForEvent('dialog');
    const left = leave();
    const dialog = await asked;
    expect([dialog.type(), dialog.message()]).toEqual([
      'confirm',
      'Leave this page? Your recovery codes won’t be shown again.',
    ]);
    await dialog[choice]();
    await left;
  }
  const followLink = () => page.getByRole('link', { name: 'My Orders' }).first().click();
  const goBack = () => page.evaluate(() => history.back());
  // The test follows the link twice: the first answer must not count for the second click.
  for (const leave of [followLink, followLink, goBack]) {
    await answer('dismiss', leave);
    await expect
      .poll(() =>
        page
          .getByRole('listitem')
          .filter({ hasText: /^\w{5}-\w{5}$/ })
          .count(),
      )
      .toBe(10);
    expect(new URL(page.url()).pathname).toBe('/dashboard/two-factor');
  }
  await answer('accept', followLink);
  await heading(page, 'My Orders').waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/myOrder');
});

test('the second step of a sign-in that has expired or began in another browser says so', async () => {
  const page = await stage.open({ expected: rejected });
  await openPath(page, '/login/code?from=%2Fdashboard');
  await page.getByLabel('6-digit code').fill('123456');
  await press(page, 'Login');
  await page.getByRole('alert').getByText('This sign-in has expired').waitFor();
  await page.getByRole('link', { name: 'Use a recovery code' }).press('Enter');
  await expectFocus(heading(page, 'Enter a recovery code'));
  await page.getByRole('link', { name: 'Use the app’s code' }).press('Enter');
  await expectFocus(heading(page, 'Enter your code'));
  await page.getByRole('link', { name: 'Start again' }).click();
  await heading(page, 'Login').waitFor();
  expect(new URL(page.url()).searchParams.get('from')).toBe('/dashboard');
});

test('with REQUIRE_ADMIN_2FA, admin pages lead to the set-up, and open right after it', async () => {
  const strict = await openStage({ demo: false, settings: { REQUIRE_ADMIN_2FA: 'yes' } });
  onTestFinished(() => strict.close());
  const ada = await strict.shop.admin();
  const page = await strict.open();
  await openPath(page, '/login');
  await signIn(page, ada.email, ada.password);
  await page.getByRole('link', { name: 'Dashboard' }).first().click();
  await page.getByText('This shop requires two-factor sign-in for admins.').waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Audit Log' }).count()).toBe(0);
  await openPath(page, '/dashboard/users');
  await heading(page, 'Two-factor sign-in').waitFor();
  // She is still signed in.
  await page.getByLabel('Your password').fill(ada.password);
  await press(page, 'Set it up');
  const secret = new URL(await scan(page)).searchParams.get('secret') ?? '';
  await page.getByLabel('6-digit code').fill(computeCode(secret));
  await press(page, 'Turn on two-factor sign-in');
  await press(page, 'I have saved them');
  await page.getByRole('link', { name: 'Audit Log' }).first().click();
  await heading(page, 'Audit Log').waitFor();

  // As after a sign-in with Google.
  await strict.shop.database.db.updateTable('session').set({ secondFactor: false }).execute();
  await openPath(page, '/dashboard/audit');
  await heading(page, 'Enter a code').waitFor();
  await page.getByLabel('6-digit code').fill(computeCode(secret, 1));
  await press(page, 'Open the admin pages');
  await page.getByRole('link', { name: 'Audit Log' }).first().click();
  await heading(page, 'Audit Log').waitFor();
});
