import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placeOrder } from '../support/payments.ts';
import { sendCall, type TestUser, tokenHeaders } from '../support/requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

async function openAs(person: TestUser, path: string, expected: RegExp[] = []): Promise<Page> {
  const page = await stage.open({ as: person, expected });
  await openPath(page, path);
  await page.waitForLoadState('networkidle');
  return page;
}

const rowOf = (page: Page, { email }: TestUser) => page.getByRole('row').filter({ hasText: email });

async function confirm(page: Page, person: TestUser, label: string, question: string): Promise<void> {
  await rowOf(page, person).getByRole('button', { name: label }).click();
  await page.getByRole('dialog', { name: question }).getByRole('button', { name: label }).click();
}

const readRole = async ({ email }: TestUser) =>
  (await stage.shop.client(admin).call('isAdmin', { params: { email } })).admin;

test('an admin removes another admin after a dialog, and the focus returns to the row', async () => {
  const bob = await stage.shop.admin('Bob Breguet');
  const page = await openAs(admin, '/dashboard/users');
  await confirm(page, bob, 'Remove admin', 'Remove Bob Breguet as an admin?');
  await expectToast(page, 'Bob Breguet is no longer an admin.');
  await rowOf(page, bob).getByRole('button', { name: 'Make Admin' }).waitFor();
  await expect.poll(() => readRole(bob)).toBe(false);
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TR');
});

test('the last admin cannot step down and learns why; with another admin, they can, and stay signed in', async () => {
  const page = await openAs(admin, '/dashboard/users', [/status of 409/]);
  await confirm(page, admin, 'Remove admin', 'Remove yourself as an admin?');
  await page.getByText('make someone else an admin first').waitFor();
  await expect.poll(() => readRole(admin)).toBe(true);

  const cid = await stage.shop.admin('Cid Clement');
  const own = await openAs(cid, '/dashboard/users');
  await confirm(own, cid, 'Remove admin', 'Remove yourself as an admin?');
  await own.waitForURL('**/dashboard');
  await own.getByRole('main').getByRole('link', { name: 'My Orders' }).waitFor();
  await expect.poll(() => readRole(cid)).toBe(false);
});

test('the list and the question before a promotion say whether the address is confirmed', async () => {
  const [tom, nora] = [
    await stage.shop.signUp('Tom Unknown'),
    await stage.shop.signUpConfirmed('Nora Known'),
  ];
  const page = await openAs(admin, '/dashboard/users');
  for (const [person, state] of [[tom, 'Not confirmed'] as const, [nora, 'Confirmed'] as const]) {
    await rowOf(page, person).getByText(state, { exact: true }).waitFor();
    await rowOf(page, person).getByRole('button', { name: 'Make Admin' }).click();
    const question = page.getByRole('dialog', { name: `Make ${person.name} an admin?` });
    const warning = question.getByText(
      'This address is not confirmed, so the account may be somebody else’s.',
    );
    await question.getByText(person.email).waitFor();
    expect(await warning.count()).toBe(person === tom ? 1 : 0);
    await question.getByRole('button', { name: 'Cancel' }).click();
  }

  // On a phone, too, both are on lines of their own.
  await page.setViewportSize({ width: 375, height: 740 });
  const cell = rowOf(page, nora);
  const state = await cell.getByText('Confirmed', { exact: true }).boundingBox();
  const orders = await cell.getByRole('link', { name: /^Orders/ }).boundingBox();
  if (!state || !orders) throw new Error('The row is not shown.');
  expect(orders.y).toBeGreaterThanOrEqual(state.y + state.height);
});

test('Sign out everywhere ends the sessions of a user', async () => {
  const tom = await stage.shop.signUp('Tom Tompion');
  const page = await openAs(admin, '/dashboard/users');
  await confirm(page, tom, 'Sign out everywhere', 'Sign Tom Tompion out everywhere?');
  await expectToast(page, 'Tom Tompion is signed out everywhere.');
  const response = await sendCall(stage.shop, 'isAdmin', {
    params: { email: tom.email },
    headers: tokenHeaders(tom),
  });
  expect(response.status).toBe(401);
});

test('the search is in the URL, survives Back, and says if no account matches', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const page = await openAs(admin, '/dashboard/users');
  const box = page.getByRole('searchbox', { name: 'Search users' });
  await box.fill('newc');
  await box.press('Enter');
  await rowOf(page, admin).waitFor({ state: 'detached' });
  await rowOf(page, nora).waitFor();
  expect(new URL(page.url()).search).toBe('?q=newc');
  await box.fill('nobody');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('heading', { name: 'No matching accounts' }).waitFor();
  await page.goBack();
  await rowOf(page, nora).waitFor();
  await expect.poll(() => box.inputValue()).toBe('newc');
});

test('each user links to their orders, and an order links to the other orders of its customer', async () => {
  const [tom, nora] = [await stage.shop.signUp('Tom Turner'), await stage.shop.signUp('Nora Nunn')];
  const product = await stage.shop.addProduct();
  const orders = [await placeOrder(stage.shop, tom, product), await placeOrder(stage.shop, tom, product)];
  const other = await placeOrder(stage.shop, nora, product);
  const page = await openAs(admin, '/dashboard/users');
  await rowOf(page, tom).getByRole('link', { name: 'Orders of Tom Turner' }).click();
  await page.getByRole('heading', { name: 'All Orders', level: 1 }).waitFor();
  const links = page.getByRole('link', { name: /^Order / });
  const expectOrders = () =>
    expect
      .poll(() => links.allTextContents())
      .toEqual(orders.map(({ number }) => `Order ${number}`).reverse());
  await expectOrders();
  await links.first().click();
  await page.getByRole('link', { name: 'All orders of this customer' }).click();
  await page.getByRole('heading', { name: 'All Orders', level: 1 }).waitFor();
  await expectOrders();
  const own = await openAs(nora, `/dashboard/orders/${other.number}`);
  await own.getByRole('heading', { name: `Order ${other.number}`, level: 1 }).waitFor();
  await expect.poll(() => own.getByRole('link', { name: 'All orders of this customer' }).count()).toBe(0);
});

test('without scripts, the search works, too', async () => {
  await stage.shop.signUp('Zoe Zimmer');
  const html = await (await stage.shop.send('/dashboard/users?q=zimm', {}, admin)).text();
  expect(html).toContain('Zoe Zimmer');
  expect(html).not.toContain('Nora Newcomer');
  expect(html).toMatch(/<form [^>]*method="get"/);
  expect(html).toMatch(/<input[^>]* value="zimm"/);
});

test('the audit log is filtered by a click on an admin or a target, and says what changed', async () => {
  const [dora, eli] = [await stage.shop.admin('Dora Dent'), await stage.shop.signUp('Eli Earnshaw')];
  await stage.shop.client(dora).call('makeAdmin', { params: { email: eli.email } });
  await stage.shop.client(admin).call('removeAdmin', { params: { email: eli.email } });
  const page = await openAs(admin, '/dashboard/audit');
  await page.getByRole('link', { name: eli.email }).first().click();
  await page.getByText(`Only actions on ${eli.email}.`).waitFor();
  const actions = page.getByRole('row').getByRole('cell').nth(0);
  await expect.poll(() => page.getByRole('row').count()).toBe(3);
  await expect.poll(() => actions.textContent()).toContain('role: customer (was admin)');
  await page.getByRole('link', { name: dora.email }).click();
  await page.getByText(`Only actions by ${dora.email}.`).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('main').getByRole('link', { name: 'Show all' }).click();
  await page.getByText('Only actions').waitFor({ state: 'detached' });
});
