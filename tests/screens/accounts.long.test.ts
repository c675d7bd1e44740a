import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../support/customer.ts';
import type { TestUser } from '../support/requests.ts';
import { fillFields } from './fields.ts';
import { openPath, openStage, type Stage, toBrowserCookies, waitForHydration } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

/** Opens a page as Tom, and signs Nora in in a second tab of the same browser. */
async function openTwoTabs(path: string, expected: RegExp[] = []) {
  const [tom, nora] = [await stage.shop.signUp('Tom Graham'), await stage.shop.signUp('Nora Newcomer')];
  const tomsPage = await stage.open({ as: tom, expected });
  await openPath(tomsPage, path);
  await tomsPage.getByRole('banner').getByText('Tom Graham').first().waitFor();
  await tomsPage.waitForLoadState('networkidle');
  const norasPage = await signInInNewTab(tomsPage.context(), nora);
  return { nora, tomsPage, norasPage };
}

async function signInInNewTab(context: BrowserContext, person: TestUser): Promise<Page> {
  const page = await context.newPage();
  await openPath(page, '/');
  await page.getByRole('button', { name: 'signOut' }).first().click();
  await page.getByRole('link', { name: 'signIn' }).first().click();
  await signIn(page, person.email, person.password);
  await page.getByRole('banner').getByText('Nora Newcomer').first().waitFor();
  return page;
}

const findNotice = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });

test('when another tab signs in as another user, the old tab names the new user and can continue as them', async () => {
  const { nora, tomsPage } = await openTwoTabs('/dashboard/myOrder');
  const notice = findNotice(tomsPage, `You are now signed in as Nora Newcomer (${nora.email}).`);
  await notice.waitFor();
  await notice.getByText('This page still shows Tom Graham’s account.').waitFor();
  await notice.getByRole('button', { name: 'Continue as Nora Newcomer' }).click();
  await notice.waitFor({ state: 'detached' });
  await tomsPage.getByRole('banner').getByText('Nora Newcomer').first().waitFor();
});

test('the old tab changes nothing as the new user until it is reloaded, and keeps the input', async () => {
  const product = await stage.shop.addProduct();
  const { tomsPage } = await openTwoTabs(`/purchase/${product._id}`, [/status of 412/]);
  await findNotice(tomsPage, 'You are now signed in as Nora Newcomer').waitFor();
  await tomsPage.getByLabel(/^Address/).fill('12 Escapement Row');
  await tomsPage.getByRole('button', { name: 'Place order' }).click();
  await tomsPage.getByRole('alert').filter({ hasText: 'You are now signed in as Nora Newcomer' }).waitFor();
  await expect.poll(() => tomsPage.getByLabel(/^Address/).inputValue()).toBe('12 Escapement Row');
  const { a_quantity } = await stage.shop.client().call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(product.a_quantity);
});

test.each([
  {
    page: 'an order form',
    path: async () => `/purchase/${(await stage.shop.addProduct())._id}`,
    notice: 'You are signed in again, and what you typed is still here.',
  },
  { page: 'a profile', path: () => '/dashboard', notice: 'Your unsaved changes are still here.' },
])(
  'text typed into $page stays with its user when the tab continues as another user',
  async ({ path: findPath, notice }) => {
    const path = await findPath();
    const [tom, nora] = [await stage.shop.signUp('Tom Graham'), await stage.shop.signUp('Nora Newcomer')];
    const page = await stage.open({ as: tom });
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await openPath(page, path);
    await page.waitForLoadState('networkidle');
    const address = page.getByLabel(/^Address/);
    await address.pressSequentially('12 Escapement Row');
    const norasPage = await signInInNewTab(page.context(), nora);
    await findNotice(page, 'You are now signed in as Nora Newcomer')
      .getByRole('button', { name: 'Continue as Nora Newcomer' })
      .click();
    await page.getByRole('banner').getByText('Nora Newcomer').first().waitFor();
    await waitForHydration(page);
    expect(await address.inputValue()).toBe('');
    expect(await page.getByText(notice).count()).toBe(0);
    expect(asked).toEqual([]);
    await norasPage.close();

    await page.getByRole('button', { name: 'signOut' }).first().click();
    await page.getByRole('link', { name: 'signIn' }).first().click();
    await signIn(page, tom.email, tom.password);
    await page.getByRole('banner').getByText('Tom Graham').first().waitFor();
    await openPath(page, path);
    await page.getByText(notice).waitFor();
    expect(await address.inputValue()).toBe('12 Escapement Row');
  },
);

test('typed text is still there after another tab has signed out and the banner has led to the sign-in page', async () => {
  const tom = await stage.shop.signUp('Tom Graham');
  const { _id } = await stage.shop.addProduct();
  const page = await stage.open({ as: tom });
  await openPath(page, `/purchase/${_id}`);
  await page.waitForLoadState('networkidle');
  await page.getByLabel(/^Address/).fill('12 Escapement Row');
  const other = await page.context().newPage();
  await openPath(other, '/');
  await other.getByRole('button', { name: 'signOut' }).first().click();
  await findNotice(page, 'You have signed out in another window.')
    .getByRole('link', { name: 'Sign in' })
    .click();
  await signIn(page, tom.email, tom.password);
  await page.getByText('what you typed is still here').waitFor();
  expect(await page.getByLabel(/^Address/).inputValue()).toBe('12 Escapement Row');
});

test('a tab that missed the change notices it at its next call, and no one is signed out', async () => {
  const [tom, nora] = [await stage.shop.signUp('Tom Graham'), await stage.shop.signUp('Nora Newcomer')];
  const tomsPage = await stage.open({ as: tom, expected: [/status of 412/] });
  // Like a frozen tab, this tab misses storage events.
  await tomsPage.addInitScript(() =>
    addEventListener('storage', (event) => event.stopImmediatePropagation(), true),
  );
  await openPath(tomsPage, '/dashboard');
  await tomsPage.waitForLoadState('networkidle');
  const norasPage = await signInInNewTab(tomsPage.context(), nora);
  await expect.poll(() => findNotice(tomsPage, 'You are now signed in').count()).toBe(0);
  await tomsPage.getByRole('link', { name: 'My Orders' }).click();
  await tomsPage.getByRole('main').getByText('You are now signed in as Nora Newcomer').waitFor();
  await norasPage.reload();
  await norasPage.getByRole('banner').getByText('Nora Newcomer').first().waitFor();
});

test('a basket page orders nothing once the browser is signed in as another user, and keeps the input', async () => {
  const [tom, nora] = [await stage.shop.signUp('Tom Graham'), await stage.shop.signUp('Nora Newcomer')];
  const [toms, noras] = [await stage.shop.addProduct(), await stage.shop.addProduct({ name: 'Bezel Knife' })];
  for (const [person, { _id: id }] of [[tom, toms] as const, [nora, noras] as const])
    await stage.shop.client(person).call('setBasketLine', { params: { id }, body: { quantity: 1 } });
  const page = await stage.open({ as: tom, expected: [/status of 412/] });
  await openPath(page, '/basket');
  await page.getByText(`Ordered by Tom Graham, ${tom.email}`).waitFor();
  await page.getByLabel(/^Address/).fill('12 Escapement Row');
  await page.waitForLoadState('networkidle');
  // Like a sign-in without scripts, this does not tell other tabs.
  await page.context().addCookies(toBrowserCookies(nora, stage.shop.origin));
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  const notice = findNotice(page, 'You are now signed in as Nora Newcomer');
  await notice.getByText('This page still shows Tom Graham’s account.').waitFor();
  for (const _ of ['first', 'second']) {
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.getByRole('alert').filter({ hasText: 'Nothing was sent.' }).waitFor();
  }
  const main = page.getByRole('main');
  expect(await main.getByText('Bezel Knife').count()).toBe(0);
  await main.getByText(`Ordered by Tom Graham, ${tom.email}`).waitFor();
  expect(await page.getByLabel(/^Address/).inputValue()).toBe('12 Escapement Row');
  const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
  expect(orders).toEqual([]);
  await notice.getByRole('button', { name: 'Continue as Nora Newcomer' }).click();
  await main.getByText(`Ordered by Nora Newcomer, ${nora.email}`).waitFor();
});

test('when another tab signs out, the old tab says so, and its form keeps the input', async () => {
  const tom = await stage.shop.signUp('Tom Graham');
  const tomsPage = await stage.open({ as: tom, expected: [/status of 401/] });
  await openPath(tomsPage, '/dashboard');
  await tomsPage.waitForLoadState('networkidle');
  const other = await tomsPage.context().newPage();
  await openPath(other, '/');
  await other.getByRole('button', { name: 'signOut' }).first().click();
  const notice = findNotice(tomsPage, 'You have signed out in another window.');
  await notice.waitFor();
  await fillFields(tomsPage, { Address: '12 Escapement Row', Phone: '1', Education: 'e', LinkedIn: 'l' });
  await tomsPage.getByRole('button', { name: 'Save profile' }).click();
  await tomsPage.getByText(/You have been signed out/).waitFor();
  await signIn(tomsPage, tom.email, tom.password);
  await tomsPage.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
  await expect
    .poll(() => tomsPage.getByLabel('Address', { exact: true }).inputValue())
    .toBe('12 Escapement Row');
});

test('signing in again as the same person changes nothing in the old tab', async () => {
  const tom = await stage.shop.signUp('Tom Graham');
  const tomsPage = await stage.open({ as: tom });
  await openPath(tomsPage, '/dashboard/myOrder');
  await tomsPage.waitForLoadState('networkidle');
  const other = await tomsPage.context().newPage();
  await openPath(other, '/');
  await other.getByRole('button', { name: 'signOut' }).first().click();
  const notice = findNotice(tomsPage, 'You have signed out in another window.');
  await notice.waitFor();
  await other.getByRole('link', { name: 'signIn' }).first().click();
  await signIn(other, tom.email, tom.password);
  await notice.getByText('You have signed out').waitFor({ state: 'detached' });
  await tomsPage.getByRole('link', { name: 'My Profile' }).click();
  await tomsPage.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
});

test('pages work in a browser that denies access to its storage', async () => {
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
  // The script follows the link without loading a new document.
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole('banner').getByRole('link', { name: 'Blogs' }).first().click();
  await page.getByRole('heading', { level: 1 }).filter({ hasText: /./ }).waitFor();
  await page.waitForURL('**/blogs');
  await expect.poll(() => page.evaluate(() => 'sameDocument' in window)).toBe(true);
});
