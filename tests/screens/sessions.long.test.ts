import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../support/requests.ts';
import { cookieHeaders, sendCall } from '../support/requests.ts';
import { firefox, safari, updateSession } from './browsers.ts';
import { holdRequests } from './held-requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage, waitForHydration } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const findRows = (page: Page) =>
  page.getByRole('table', { name: /Where you are signed in/ }).getByRole('row');
const pressButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const isSignedIn = async (person: TestUser) => {
  const request = { params: { email: person.email }, headers: cookieHeaders(person) };
  return (await sendCall(stage.shop, 'isAdmin', request)).status === 200;
};
/** Signs in the same person in another browser. */
const signInWithBrowser = async ({ email, password }: TestUser, userAgent: string) => {
  const session = await stage.shop.signIn(email, password);
  await updateSession(stage.shop, session, { userAgent });
  return session;
};

test.each([true, false])(
  'an admin’s sign-in, sessions and data are on a page of their own, with scripts: %s',
  async (javaScriptEnabled) => {
    const admin = await stage.shop.admin('Ada Harrison');
    const expected = [/static\/js\/.*: csp$/, /status of 4(00|01|22)/];
    const page = await stage.open({ as: admin, javaScriptEnabled, expected });
    await page.goto('/dashboard');
    if (javaScriptEnabled) await waitForHydration(page);
    await page.getByLabel('LinkedIn', { exact: true }).waitFor();
    for (const title of ['Signing in', 'Your data'])
      expect(await page.getByRole('heading', { name: title, exact: true }).count()).toBe(0);
    const main = page.getByRole('main');
    await main.locator('h2 ~ a', { hasText: 'Sign-in and security' }).click();
    await page.getByRole('heading', { name: 'Sign-in and security', level: 1 }).waitFor();
    if (javaScriptEnabled) await findRows(page).first().waitFor();
    await main.getByRole('link', { name: 'Delete your account' }).waitFor();
    const change = async (currentPassword: string) => {
      await page.getByLabel('Current password').fill(currentPassword);
      await page.getByLabel('New password').fill('a quite new passphrase');
      await pressButton(page, 'Change password');
    };
    await change('not the password');
    await page.getByText('Invalid password').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/account');
    await change(admin.password);
    if (javaScriptEnabled) await page.getByText('You are signed out everywhere else.').waitFor();
    else await page.waitForURL('**/dashboard/account?done=password');
    const session = await stage.shop.signIn(admin.email, 'a quite new passphrase');
    expect(await isSignedIn(session)).toBe(true);
  },
);

test('the profile lists each session and can end it; the current session stays signed in', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const desk = await signInWithBrowser(nora, firefox);
  const telephone = await signInWithBrowser(nora, safari);
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard');
  await findRows(page).filter({ hasText: 'Firefox' }).waitFor();
  await expect.poll(() => findRows(page).count()).toBe(4);
  await expect.poll(() => readText(findRows(page).nth(1))).toMatch(/\d UTC.*127\.0\.0\.1.*this browser/);
  await expect.poll(() => readText(findRows(page).nth(2))).toContain('Safari on iPhone');

  await pressButton(page, /^Sign out Firefox on Linux/);
  const dialog = page.getByRole('dialog', { name: 'Sign out Firefox on Linux?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => isSignedIn(desk)).toBe(true);
  await pressButton(page, /^Sign out Firefox on Linux/);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await expectToast(page, 'Firefox on Linux was signed out.');
  await expect.poll(() => findRows(page).count()).toBe(3);
  await expect.poll(() => Promise.all([desk, telephone, nora].map(isSignedIn))).toEqual([false, true, true]);

  await pressButton(page, 'Sign out everywhere else');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await expectToast(page, 'Signed out everywhere else.');
  await page.getByText('You are not signed in anywhere else.').waitFor();
  await expect.poll(() => Promise.all([telephone, nora].map(isSignedIn))).toEqual([false, true]);
  await page.reload();
  await page.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
});

test('a page of an ended session is signed out at its next call', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const otherPage = await stage.open({
    as: await signInWithBrowser(nora, firefox),
    expected: [/status of 401/],
  });
  await openPath(otherPage, '/dashboard');
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard');
  await pressButton(page, /^Sign out Firefox on Linux/);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are not signed in anywhere else.').waitFor();
  await otherPage.getByRole('link', { name: 'My Orders' }).first().click();
  await otherPage.getByRole('link', { name: 'signIn' }).first().waitFor();
});

test('a day after sign-in the profile hides the other sessions, but can still end them all', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const desk = await signInWithBrowser(nora, firefox);
  await updateSession(stage.shop, nora, { createdAt: new Date(Date.now() - 25 * 60 * 60 * 1000) });
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard');
  await page.getByText(/^You signed in here more than a day ago/).waitFor();
  await expect.poll(() => findRows(page).count()).toBe(2);
  await pressButton(page, 'Sign out everywhere else');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Signed out everywhere else.').waitFor();
  await expect.poll(() => Promise.all([desk, nora].map(isSignedIn))).toEqual([false, true]);
});

test('loading the sessions does not change the height of the page', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  const release = await holdRequests(page, '**/api/auth/get-session');
  await openPath(page, '/dashboard');
  const readHeight = () => page.evaluate(() => document.documentElement.scrollHeight);
  const before = await readHeight();
  release();
  await page.getByText('You are not signed in anywhere else.').waitFor();
  await expect.poll(() => readHeight()).toBe(before);
});

test('a failure to load the sessions is reported, and Retry loads them', async () => {
  const page = await stage.open({ as: await stage.shop.signUp(), expected: [/ERR_FAILED/] });
  await page.route('**/api/auth/get-session', (route) => route.abort(), { times: 1 });
  await openPath(page, '/dashboard');
  await page.getByRole('alert').filter({ hasText: 'The shop cannot be reached' }).waitFor();
  await pressButton(page, 'Retry');
  await page.getByText('You are not signed in anywhere else.').waitFor();
});

test('a sign-in that fails to get its token continues with the cookie', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const page = await stage.open({ expected: [/status of 503/] });
  await openPath(page, '/login?from=%2Fdashboard%2FmyOrder');
  await page.route('**/api/user/*', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.getByLabel('Email').fill(nora.email);
  await page.getByLabel('Password', { exact: true }).fill(nora.password);
  await pressButton(page, 'Login');
  await page.waitForURL('**/dashboard/myOrder');
  // Reading the orders is a call that carries the token.
  await page.getByRole('heading', { name: 'My Orders', level: 1 }).waitFor();
  await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeNull();
});
