import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { phone } from '../support/browser.ts';
import { signIn } from '../support/customer.ts';
import { holdRequests } from './held-requests.ts';
import { readDescription, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const findField = (page: Page, label: string) => page.getByLabel(label, { exact: true });

test.each([
  ['/login', 'Sign in to order tools, follow your orders and write reviews.'],
  ['/signup', 'Create an account to order tools and write reviews.'],
])('on a phone, %s has a small drawing and says what an account is for', async (path, text) => {
  const page = await stage.open(phone);
  await openPath(page, path);
  const drawing = await page.locator('main img').boundingBox();
  const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
  expect(drawing).toMatchObject({ width: 96, height: 96 });
  expect(drawing?.y).toBeLessThan(heading?.y ?? 0);
  await page.getByRole('main').getByText(text).waitFor();
  const google = page.getByRole('button', { name: 'Continue with Google' });
  await expect.poll(() => google.locator('svg').isVisible()).toBe(true);
  await expect
    .poll(() => google.evaluate((button) => getComputedStyle(button).backgroundColor))
    .toBe('rgb(255, 255, 255)');
});

test('on a phone, the header keeps its height when the user has signed in', async () => {
  const { email, password } = await stage.shop.signUp('Nora Newcomer');
  const page = await stage.open({ viewport: { width: 390, height: 740 } });
  await openPath(page, '/login');
  const header = page.getByRole('banner');
  const readHeight = async () => (await header.boundingBox())?.height;
  const height = await readHeight();
  await findField(page, 'Email').fill(email);
  await findField(page, 'Password').fill(password);
  await page.keyboard.press('Enter');
  await header.getByRole('link', { name: 'Basket' }).waitFor();
  await expect.poll(readHeight).toBe(height);
});

describe.each([
  { path: '/login', button: 'Login', name: false },
  { path: '/signup', button: 'Sign up', name: true },
])('$path', ({ path, button, name }) => {
  test('invalid fields show their messages, and nothing is sent', async () => {
    const page = await stage.open();
    const calls = recordWrites(page);
    await openPath(page, path);
    const press = () => page.getByRole('button', { name: button, exact: true }).click();
    const expectMessage = async (label: string, message: string) => {
      await expect.poll(() => readDescription(findField(page, label))).toContain(message);
      await expect.poll(() => findField(page, label).getAttribute('aria-invalid')).toBe('true');
    };
    await press();
    if (name) await expectMessage('Name', 'Name is Required');
    await expectMessage('Email', 'Email is Required');
    await expectMessage('Password', 'Password is Required');

    await findField(page, 'Email').fill('nora at example.com');
    await findField(page, 'Password').fill('12345');
    await press();
    await expectMessage('Email', 'Provide a valid Email');
    await expectMessage('Password', 'Must be 6 characters or longer');

    await findField(page, 'Email').fill('nora@example.com');
    await findField(page, 'Password').fill('123456');
    await expect.poll(() => readDescription(findField(page, 'Email'))).not.toContain('valid');
    await expect.poll(() => readDescription(findField(page, 'Password'))).not.toContain('Must be');
    expect(calls).toEqual([]);
  });

  test('links to the other form and offers Google', async () => {
    const page = await stage.open();
    await openPath(page, path);
    await expect.poll(() => page.getByRole('button', { name: /Google/ }).isVisible()).toBe(true);
    const other = name ? '/login' : '/signup';
    await page.getByRole('main').locator(`a[href^="${other}"]`).click();
    await page.waitForURL(`**${other}`);
  });
});

test('an error of the identity service appears in red under the form, and the input stays', async () => {
  const page = await stage.open({ expected: [/status of 401/, /status of 422/] });
  await openPath(page, '/login');
  await signIn(page, 'customer@example.com', 'not-the-password');
  const error = page.getByRole('alert').getByText('Invalid email or password');
  await error.waitFor();
  const red = await error.evaluate((element) => getComputedStyle(element).color);
  expect(red).toBe('rgb(155, 28, 49)');
  await expect.poll(() => findField(page, 'Email').inputValue()).toBe('customer@example.com');

  await openPath(page, '/signup');
  await findField(page, 'Name').fill('Another');
  await findField(page, 'Email').fill('customer@example.com');
  await findField(page, 'Password').fill('anchor-escapement');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: /exists/i })
    .waitFor();
  await expect.poll(() => findField(page, 'Name').inputValue()).toBe('Another');
});

test.each([true, false])(
  'sign-up says why a password is easily guessed, with scripts: %s',
  async (javaScriptEnabled) => {
    const page = await stage.open({ javaScriptEnabled, expected: [/static\/js\/.*: csp$/, /status of 400/] });
    await page.goto('/signup');
    for (const [password, reason] of [
      ['Password1', 'it is in lists of stolen passwords'],
      ['barnaby.rudge', 'it is your name or your email address'],
      ['Mainspring-2026', 'it is a common word or a word of this shop'],
    ] as const) {
      await findField(page, 'Name').fill('Barnaby Rudge');
      await findField(page, 'Email').fill('barnaby.rudge@example.com');
      await findField(page, 'Password').fill(password);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await expect.poll(() => readDescription(findField(page, 'Password'))).toContain(reason);
      await expect.poll(() => findField(page, 'Password').getAttribute('aria-invalid')).toBe('true');
      if (javaScriptEnabled)
        await page.locator('[role=alert]:focus').filter({ hasText: 'Choose another one' }).waitFor();
      await expect.poll(() => findField(page, 'Name').inputValue()).toBe('Barnaby Rudge');
      await expect.poll(() => findField(page, 'Email').inputValue()).toBe('barnaby.rudge@example.com');
      // Without scripts, no password is sent back to the browser.
      await expect
        .poll(() => findField(page, 'Password').inputValue())
        .toBe(javaScriptEnabled ? password : '');
    }
  },
);

test('the button shows progress and cannot be pressed twice', async () => {
  const page = await stage.open();
  const calls = recordWrites(page);
  await openPath(page, '/login');
  const release = await holdRequests(page, '**/sign-in/email');
  await signIn(page, 'customer@example.com', 'clockwork');
  const button = page.getByRole('button', { name: 'Login', exact: true });
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
  await button.click({ force: true });
  await findField(page, 'Password').press('Enter');
  release();
  await page.waitForURL(`${stage.shop.origin}/`);
  expect(calls.filter((call) => call.endsWith('/sign-in/email'))).toHaveLength(1);
});

test('after sign-in the requested page opens, including its query; without one, the home page', async () => {
  const { _id, name } = await stage.product(2);
  const page = await stage.open();
  await openPath(page, `/purchase/${_id}?seen=on&of=a%26b`);
  await page.getByRole('heading', { name: 'Login', level: 1 }).waitFor();
  await signIn(page, 'customer@example.com', 'clockwork');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  expect(page.url()).toBe(`${stage.shop.origin}/purchase/${_id}?seen=on&of=a%26b`);
  await page.getByRole('button', { name: 'signOut' }).click();
  await page.waitForURL(`${stage.shop.origin}/`);
  await page.getByRole('link', { name: 'signIn' }).waitFor();

  await openPath(page, '/login');
  await signIn(page, 'customer@example.com', 'clockwork');
  await page.waitForURL(`${stage.shop.origin}/`);
});

test('sign-in never redirects to another site', async () => {
  const page = await stage.open();
  await openPath(page, `/login?from=${encodeURIComponent('/\t/elsewhere.example/')}`);
  await signIn(page, 'customer@example.com', 'clockwork');
  await page.waitForURL(`${stage.shop.origin}/`);
});

test('sign-up leads to the list of products', async () => {
  const page = await stage.open();
  await openPath(page, '/signup');
  await findField(page, 'Name').fill('Nora Newcomer');
  await findField(page, 'Email').fill('Nora@Example.com');
  await findField(page, 'Password').fill('anchor-escapement');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/products');
  await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeTruthy();
});

test('after sign-up on the way to a tool, Products links to it, and never to another site', async () => {
  const { _id, name } = await stage.product(2);
  const page = await stage.open();
  await openPath(page, `/purchase/${_id}`);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await findField(page, 'Name').fill('Nora Newcomer');
  await findField(page, 'Email').fill('nora-of-the-tool@example.com');
  await findField(page, 'Password').fill('anchor-escapement');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/products');
  await page.getByRole('link', { name: `Continue to ${name}` }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();

  await openPath(page, `/products?from=${encodeURIComponent('/\t/elsewhere.example/')}`);
  await expect.poll(() => page.getByRole('link', { name: /^Continue/ }).count()).toBe(0);
});

test('a customer who opens an admin page is signed out and redirected to /login with the reason', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  const token = () => page.evaluate(() => localStorage.getItem('token'));
  await openPath(page, '/dashboard');
  await expect.poll(token).toBeTruthy();
  await openPath(page, '/dashboard/users');
  await page.getByText(/That page is for admins.* an admin’s account/).waitFor();
  expect(new URL(page.url()).pathname).toBe('/login');
  await page.getByRole('link', { name: 'signIn' }).first().waitFor();
  await expect.poll(token).toBeNull();
  await openPath(page, '/dashboard');
  await page.waitForURL('**/login?from=%2Fdashboard');
});

test('an error of Google appears under the form', async () => {
  const page = await stage.open();
  for (const [error, words] of [
    ['account_not_linked', /already has an account here/],
    ['email_not_found', /has not confirmed that address/],
    ['access_denied', /^Sign-in with Google was cancelled\.$/],
    ['anything', /Google could not sign you in/],
    ['__proto__', /Google could not sign you in/],
  ] as const) {
    await openPath(page, `/login?error=${error}`);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
  }
  await openPath(page, '/login?from=%2Fdashboard&error=access_denied');
  await page.getByText('Sign-in with Google was cancelled.').waitFor();
  await expect.poll(() => page.getByText(/Sign in to go on/).count()).toBe(0);
});

test('cancelling at Google returns to the form', async () => {
  const page = await stage.open();
  await openPath(page, '/login');
  await page.getByRole('button', { name: /Google/ }).click();
  await page
    .getByRole('button', { name: /cancel/i })
    .or(page.getByRole('link', { name: /cancel/i }))
    .click();
  await page
    .getByRole('alert')
    .filter({ hasText: /was cancelled/ })
    .waitFor();
});
