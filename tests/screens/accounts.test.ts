import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../support/ask.ts';
import { signIn } from '../support/customer.ts';
import { fillFields } from './fill.ts';
import { recordWrites } from './said.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage.close());

/** Tom's tab, and a second tab of the same browser in which Nora has signed in since. */
async function openTwoTabs(path: string, expected: RegExp[] = []) {
  const [tom, nora] = [await stage.shop.signUp('Tom Graham'), await stage.shop.signUp('Nora Newcomer')];
  const toms = await stage.open({ as: tom, expected });
  await openPath(toms, path);
  await toms.getByRole('banner').getByText('Tom Graham').first().waitFor();
  await toms.waitForLoadState('networkidle');
  const noras = await signInBeside(toms.context(), nora);
  return { nora, toms, noras };
}

async function signInBeside(context: BrowserContext, person: Person): Promise<Page> {
  const page = await context.newPage();
  await openPath(page, '/');
  await page.getByRole('button', { name: 'signOut' }).first().click();
  await page.getByRole('link', { name: 'signIn' }).first().click();
  await signIn(page, person.email, person.password);
  await page.getByRole('banner').getByText('Nora Newcomer').first().waitFor();
  return page;
}

const notice = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });

test('when another tab signs in as somebody else, the old tab says who is signed in now, and can continue as them', async () => {
  const { nora, toms } = await openTwoTabs('/dashboard/myOrder');
  const said = notice(toms, `You are now signed in as Nora Newcomer (${nora.email}).`);
  await said.waitFor();
  await said.getByText('This page still shows Tom Graham’s account.').waitFor();
  await said.getByRole('button', { name: 'Continue as Nora Newcomer' }).click();
  await said.waitFor({ state: 'detached' });
  await toms.getByRole('banner').getByText('Nora Newcomer').first().waitFor();
});

test('the old tab sends nothing in the new account’s name until it is reloaded; what was typed stays', async () => {
  const product = await stage.shop.addProduct();
  const { toms } = await openTwoTabs(`/purchase/${product._id}`);
  await notice(toms, 'You are now signed in as Nora Newcomer').waitFor();
  const calls = recordWrites(toms);
  await toms.getByLabel(/^Address/).fill('12 Escapement Row');
  await toms.getByRole('button', { name: 'Place order' }).click();
  await toms.getByRole('alert').filter({ hasText: 'You are now signed in as Nora Newcomer' }).waitFor();
  expect(await toms.getByLabel(/^Address/).inputValue()).toBe('12 Escapement Row');
  expect(calls).toEqual([]);
  const { a_quantity } = await stage.shop.client().call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(product.a_quantity);
});

test('a tab that missed the change notices it at its next call, and nobody is signed out', async () => {
  const [tom, nora] = [await stage.shop.signUp('Tom Graham'), await stage.shop.signUp('Nora Newcomer')];
  const toms = await stage.open({ as: tom });
  // As in a frozen tab.
  await toms.addInitScript(() =>
    addEventListener('storage', (event) => event.stopImmediatePropagation(), true),
  );
  await openPath(toms, '/dashboard');
  await toms.waitForLoadState('networkidle');
  const noras = await signInBeside(toms.context(), nora);
  expect(await notice(toms, 'You are now signed in').count()).toBe(0);
  await toms.getByRole('link', { name: 'My Orders' }).click();
  await toms.getByRole('main').getByText('You are now signed in as Nora Newcomer').waitFor();
  await noras.reload();
  await noras.getByRole('banner').getByText('Nora Newcomer').first().waitFor();
});

test('when another tab signs out, the old tab says so; a form there still keeps what was typed', async () => {
  const tom = await stage.shop.signUp('Tom Graham');
  const toms = await stage.open({ as: tom, expected: [/status of 401/] });
  await openPath(toms, '/dashboard');
  await toms.waitForLoadState('networkidle');
  const other = await toms.context().newPage();
  await openPath(other, '/');
  await other.getByRole('button', { name: 'signOut' }).first().click();
  const said = notice(toms, 'You have signed out in another window.');
  await said.waitFor();
  await fillFields(toms, { Address: '12 Escapement Row', Phone: '1', Education: 'e', LinkedIn: 'l' });
  await toms.getByRole('button', { name: 'Save profile' }).click();
  await toms.getByText(/You have been signed out/).waitFor();
  await signIn(toms, tom.email, tom.password);
  await toms.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
  await expect.poll(() => toms.getByLabel('Address', { exact: true }).inputValue()).toBe('12 Escapement Row');
});

test('signing in again as the same person changes nothing in the old tab', async () => {
  const tom = await stage.shop.signUp('Tom Graham');
  const toms = await stage.open({ as: tom });
  await openPath(toms, '/dashboard/myOrder');
  await toms.waitForLoadState('networkidle');
  const other = await toms.context().newPage();
  await openPath(other, '/');
  await other.getByRole('button', { name: 'signOut' }).first().click();
  const said = notice(toms, 'You have signed out in another window.');
  await said.waitFor();
  await other.getByRole('link', { name: 'signIn' }).first().click();
  await signIn(other, tom.email, tom.password);
  await said.getByText('You have signed out').waitFor({ state: 'detached' });
  await toms.getByRole('link', { name: 'My Profile' }).click();
  await toms.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
});

test('a browser that refuses its storage gets working pages all the same', async () => {
  const page = await stage.open();
  await page.addInitScript(() =>
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    }),
  );
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  // A link that the script follows keeps the document.
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole('banner').getByRole('link', { name: 'Blogs' }).first().click();
  await page.getByRole('heading', { level: 1 }).filter({ hasText: /./ }).waitFor();
  await page.waitForURL('**/blogs');
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
});
