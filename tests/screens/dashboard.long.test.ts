import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { phone } from '../support/browser.ts';
import type { TestUser } from '../support/requests.ts';
import { holdRequests } from './held-requests.ts';
import { createOversizedImage, createPhoto, invalidImage } from './image-files.ts';
import { readDescription, readText, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage();
  admin = await stage.shop.admin();
});
afterAll(() => stage?.close());

/** The names and targets of the links in the dashboard's menu. */
async function readMenu(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link');
  await links.first().waitFor();
  return Promise.all(
    (await links.all()).map(async (link) => `${await readText(link)} ${await link.getAttribute('href')}`),
  );
}

describe('the menu', () => {
  test('of a customer on a desktop links to the profile, the orders and the review form', async () => {
    const page = await stage.open({ as: await stage.shop.signUp() });
    await openPath(page, '/dashboard');
    await expect
      .poll(() => readMenu(page))
      .toEqual(['My Profile /dashboard', 'My Orders /dashboard/myOrder', 'Add Review /dashboard/review']);
  });

  test('of an admin on a desktop links to the admin pages', async () => {
    const page = await stage.open({ as: admin });
    await openPath(page, '/dashboard/users');
    await expect
      .poll(() => readMenu(page))
      .toEqual([
        'Make Admin /dashboard/users',
        'Reviews /dashboard/reviews',
        'Messages /dashboard/messages',
        'All Orders /dashboard/allOrders',
        'Add Product /dashboard/addProduct',
        'Manage Products /dashboard/manageProduct',
        'Stock /dashboard/stock',
        'Shop Details /dashboard/shop',
        'Delivery /dashboard/delivery',
        'Audit Log /dashboard/audit',
        'Health /dashboard/health',
        'Sign-in and security /dashboard/account',
      ]);
    const trade = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('list', { name: 'Trade' });
    expect(await trade.getByRole('listitem').count()).toBe(4);
  });

  test('of a customer on a phone links to the profile as /dashboard/history', async () => {
    const page = await stage.open({ ...phone, as: await stage.shop.signUp() });
    await openPath(page, '/dashboard/myOrder');
    await page.getByRole('main').locator('summary').click();
    await expect
      .poll(() => readMenu(page))
      .toEqual([
        'My Profile /dashboard/history',
        'My Orders /dashboard/myOrder',
        'Add Review /dashboard/review',
      ]);
    await page.getByRole('link', { name: 'My Profile' }).click();
    await page.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard');
  });

  test('of an admin on a phone calls the list of users All Users', async () => {
    const page = await stage.open({ ...phone, as: admin });
    await openPath(page, '/dashboard/allOrders');
    await page.getByRole('main').locator('summary').click();
    await expect
      .poll(() => readMenu(page))
      .toEqual([
        'All Users /dashboard/users',
        'Reviews /dashboard/reviews',
        'Messages /dashboard/messages',
        'All Orders /dashboard/allOrders',
        'Add Product /dashboard/addProduct',
        'Manage Products /dashboard/manageProduct',
        'Stock /dashboard/stock',
        'Shop Details /dashboard/shop',
        'Delivery /dashboard/delivery',
        'Audit Log /dashboard/audit',
        'Health /dashboard/health',
        'Sign-in and security /dashboard/account',
      ]);
  });
});

describe('My Profile', () => {
  const pressSave = (page: Page) => page.getByRole('button', { name: 'Save profile' }).click();

  test('reports missing fields in a summary, which gets the focus, and at the field', async () => {
    const page = await stage.open({ as: await stage.shop.signUp() });
    await openPath(page, '/dashboard');
    await pressSave(page);
    const summary = page.getByRole('alert').filter({ hasText: 'Required' });
    await summary.getByRole('link', { name: 'Address is Required' }).waitFor();
    await expect.poll(() => summary.evaluate((element) => element === document.activeElement)).toBe(true);
    for (const label of ['Address', 'Phone', 'Education', 'LinkedIn'])
      await expect
        .poll(() => readDescription(page.getByLabel(label, { exact: true })))
        .toContain(`${label} is Required`);
    await summary.getByRole('link', { name: 'Phone is Required' }).click();
    const field = page.getByLabel('Phone', { exact: true });
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('has a read-only name of at most 20 characters, and confirms saving by a toast and on the page', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await stage.open({ as: nora });
    await openPath(page, '/dashboard');
    const name = page.getByLabel('Name', { exact: true });
    await expect.poll(() => name.inputValue()).toBe('Nora Newcomer');
    await expect.poll(() => name.isEditable()).toBe(false);
    await expect.poll(() => name.getAttribute('maxlength')).toBe('20');
    for (const label of ['Address', 'Phone', 'Education', 'LinkedIn'])
      await page.getByLabel(label, { exact: true }).fill(`My-${label}`);
    await pressSave(page);
    await expectToast(page, 'Profile information added');
    await page.getByText(/^Saved/).waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('LinkedIn', { exact: true }).inputValue()).toBe('My-LinkedIn');
  });

  test('changes the password, and the new one signs in', async () => {
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora, expected: [/status of 400/] });
    await openPath(page, '/dashboard');
    const change = () => page.getByRole('button', { name: 'Change password' }).click();
    await change();
    await expect
      .poll(() => readDescription(page.getByLabel('Current password')))
      .toContain('Current password is Required');
    await page.getByLabel('Current password').fill('not-this-one');
    await page.getByLabel('New password').fill('deadbeat-1715');
    await change();
    await page.getByRole('alert').filter({ hasText: 'Invalid password' }).waitFor();
    await page.getByLabel('Current password').fill(nora.password);
    await change();
    await page.getByText(/signed out everywhere else/).waitFor();
    await stage.shop.signIn(nora.email, 'deadbeat-1715');
  });
});

describe('Add Review', () => {
  const pressAddReview = (page: Page) => page.getByRole('button', { name: 'Add Review' }).click();
  const fillReview = async (page: Page) => {
    await page.getByRole('radio', { name: /^4 stars/ }).check();
    await page.getByLabel('Comments').fill('Holds its edge.');
  };

  test('shows the author read-only, and reports a missing rating, comment and image', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await stage.open({ as: nora });
    await openPath(page, '/dashboard/review');
    const name = page.getByLabel('Name', { exact: true });
    const email = page.getByLabel('Email', { exact: true });
    await expect
      .poll(async () => [await name.inputValue(), await name.isEditable()])
      .toEqual(['Nora Newcomer', false]);
    await expect
      .poll(async () => [await email.inputValue(), await email.isEditable()])
      .toEqual([nora.email, false]);
    await pressAddReview(page);
    for (const message of ['Rating is Required', 'Comments is Required', 'Image is Required'])
      await page.getByRole('alert').getByRole('link', { name: message }).waitFor();
    await expect
      .poll(() => readDescription(page.getByRole('group', { name: 'Rating' })))
      .toContain('Rating is Required');
    await expect.poll(() => readDescription(page.getByLabel('Comments'))).toContain('Comments is Required');
    await expect.poll(() => readDescription(page.getByLabel('Image'))).toContain('Image is Required');
  });

  test('uploads the image with its progress, then sends the review, which is listed first', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await stage.open({ as: nora });
    await openPath(page, '/dashboard/review');
    await fillReview(page);
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await page.getByRole('img', { name: 'Preview of bench.jpg' }).waitFor();
    const calls = recordWrites(page);
    const release = await holdRequests(page, '**/1/upload*');
    await pressAddReview(page);
    await page.getByRole('progressbar').waitFor();
    expect(calls).not.toContain('POST /api/review');
    release();
    await expectToast(page, 'Review Added Successfully!');
    await page.getByText(/Your review is published/).waitFor();
    expect(calls).toEqual(['POST /1/upload', 'POST /api/review']);
    await expect
      .poll(() => stage.shop.client().call('listReviews', { query: { limit: 1 } }))
      .toMatchObject([{ name: 'Nora Newcomer', rating: 4, reviews: 'Holds its edge.' }]);
  });

  test('says why an image is rejected, saves nothing and keeps the input', async () => {
    const page = await stage.open({ as: await stage.shop.signUp(), expected: [/status of 4\d\d/] });
    await openPath(page, '/dashboard/review');
    await fillReview(page);
    const calls = recordWrites(page);
    for (const [file, reason] of [
      [invalidImage, /JPEG|picture/i],
      [createOversizedImage(), /10 MB/],
    ] as const) {
      await page.getByLabel('Image').setInputFiles(file);
      await pressAddReview(page);
      await expectToast(page, 'Failed to add the Review');
      await expect.poll(() => page.locator('#img-error').textContent()).toMatch(reason);
      await expect.poll(() => readDescription(page.getByLabel('Image'))).toMatch(reason);
    }
    expect(calls).not.toContain('POST /api/review');
    await expect.poll(() => page.getByLabel('Comments').inputValue()).toBe('Holds its edge.');
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await pressAddReview(page);
    await expectToast(page, 'Review Added Successfully!');
  });
});
