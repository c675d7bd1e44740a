import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { fillCardField } from '../support/customer.ts';
import { placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { findButton, pressTwice } from './buttons.ts';
import { fillFields } from './fields.ts';
import { createPhoto } from './image-files.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let product: Product;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  product = await stage.shop.addProduct({ name: 'Mainspring winder', a_quantity: 1000 });
});
afterAll(() => stage?.close());

/** Opens a hydrated page. */
async function openAs(person: TestUser | undefined, path: string, expected: RegExp[] = []): Promise<Page> {
  const page = await stage.open({ ...(person ? { as: person } : {}), expected });
  await openPath(page, path);
  await page.waitForLoadState('networkidle');
  return page;
}

const account = (email: string) => ({ Email: email, Password: 'anchor-escapement' });

describe('a double click', () => {
  test('on Sign up creates one account', async () => {
    const page = await openAs(undefined, '/signup');
    await fillFields(page, { Name: 'Nora Newcomer', ...account('nora.twice@example.com') });
    const until = () => page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
    expect(await pressTwice(page, findButton(page, 'Sign up'), { path: /\/sign-up\/email$/, until })).toBe(1);
  });

  test('on Login signs in once, on signOut signs out without an error', async () => {
    const { email } = await stage.shop.signUp();
    const page = await openAs(undefined, '/login?from=%2Fblogs');
    await fillFields(page, account(email));
    const until = () => page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
    expect(await pressTwice(page, findButton(page, 'Login'), { path: /\/sign-in\/email$/, until })).toBe(1);
    await findButton(page, 'signOut').dblclick();
    await page.waitForURL(`${stage.shop.origin}/`);
    await page.getByRole('link', { name: 'signIn' }).waitFor();
    await expect.poll(() => page.getByRole('status').getByText(/\S/).count()).toBe(0);
  });

  test('on Continue with Google starts one sign-in', async () => {
    const page = await openAs(undefined, '/login');
    const until = () => page.waitForURL(/\/sandbox\/google\//);
    const button = findButton(page, 'Continue with Google');
    expect(await pressTwice(page, button, { path: /\/sign-in\/social$/, until })).toBe(1);
  });

  test('on Link Google starts one link', async () => {
    const page = await openAs(await stage.shop.signUp(), '/dashboard');
    const until = () => page.waitForURL(/\/sandbox\/google\//);
    expect(await pressTwice(page, findButton(page, 'Link Google'), { path: /\/link-social$/, until })).toBe(
      1,
    );
  });

  test('on Save profile saves once, on Change password changes it once', async () => {
    const page = await openAs(await stage.shop.signUp(), '/dashboard');
    await fillFields(page, {
      Address: '4 Fusee Lane',
      Phone: '0117 4960',
      Education: 'BHI',
      LinkedIn: 'in/nora',
    });
    const saved = () => page.getByText(/^Saved\./).waitFor();
    const save = { method: 'PUT', path: /\/api\/user\/[^/]+$/, until: saved };
    // A second PUT renews the token, as after every change of the profile.
    const bodies: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') bodies.push(request.postData());
    });
    await pressTwice(page, findButton(page, 'Save profile'), save);
    expect(bodies.filter((body) => body?.includes('4 Fusee Lane'))).toHaveLength(1);

    await fillFields(page, { 'Current password': 'anchor-escapement', 'New password': 'verge-and-foliot' });
    const changed = () => page.getByText(/^Changed\./).waitFor();
    const change = { path: /\/change-password$/, until: changed };
    expect(await pressTwice(page, findButton(page, 'Change password'), change)).toBe(1);
  });

  test('on Place order places one order', async () => {
    const nora = await stage.shop.signUp();
    const page = await openAs(nora, `/purchase/${product._id}`);
    const until = () => page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    expect(await pressTwice(page, findButton(page, 'Place order'), { path: /\/api\/orders$/, until })).toBe(
      1,
    );
    const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
    expect(orders).toHaveLength(1);
  });

  test('on Pay charges the card once', async () => {
    const nora = await stage.shop.signUp();
    const order = await placeOrder(stage.shop, nora, product);
    const page = await openAs(nora, `/dashboard/payment/${order._id}`);
    await findButton(page, 'Continue without an address').click();
    await fillCardField(page, '4242 4242 4242 4242');
    const until = () => page.getByRole('status').filter({ hasText: 'Congratulations' }).waitFor();
    expect(await pressTwice(page, findButton(page, /^Pay /), { path: /\/confirm$/, until })).toBe(1);
  });

  test('on Delete and in its dialog deletes one order', async () => {
    const nora = await stage.shop.signUp();
    for (let order = 0; order < 2; order++) await placeOrder(stage.shop, nora, product);
    const page = await openAs(nora, '/dashboard/myOrder');
    await findButton(page, /^Delete the order/)
      .first()
      .dblclick();
    const dialog = page.getByRole('dialog', { includeHidden: true });
    const until = () => dialog.waitFor({ state: 'detached' });
    const button = findButton(dialog, 'Delete the order');
    const deletion = { method: 'DELETE', path: /\/api\/orders\/[^/]+$/, until };
    expect(await pressTwice(page, button, deletion)).toBe(1);
    await expect.poll(() => findButton(page, /^Delete the order/).count()).toBe(1);
  });

  test('on Add Review adds one review', async () => {
    const page = await openAs(await stage.shop.signUp(), '/dashboard/review');
    await page.getByRole('radio').last().check({ force: true });
    await page.getByLabel('Comments').fill('Winds without a slip.');
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    const until = () => page.getByText('Review Added Successfully!').waitFor();
    const before = (await stage.shop.client().call('listReviews', {})).length;
    expect(await pressTwice(page, findButton(page, 'Add Review'), { path: /\/1\/upload/, until })).toBe(1);
    await expect.poll(() => stage.shop.client().call('listReviews', {})).toHaveLength(before + 1);
  });

  test('on Delete never confirms the dialog that appears under the pointer', async () => {
    const nora = await stage.shop.signUp();
    for (let order = 0; order < 9; order++) await placeOrder(stage.shop, nora, product);
    const page = await stage.open({ as: nora, viewport: { width: 375, height: 740 } });
    await openPath(page, '/dashboard/myOrder');
    const button = findButton(page, /^Delete the order/).nth(5);
    await button.click();
    const dialog = page.getByRole('dialog', { includeHidden: true });
    const confirm = await readBox(findButton(dialog, 'Delete the order'));
    await findButton(dialog, 'Keep it').click();
    // Scroll so that the confirm button appears over Delete.
    const { y } = await readBox(button);
    await page.evaluate((by) => scrollBy({ top: by, behavior: 'instant' }), y - confirm.y);
    const box = await readBox(button);
    const overlap = { x: Math.max(box.x, confirm.x) + 5, y: confirm.y + confirm.height / 2 };
    expect(overlap.x).toBeLessThan(Math.min(box.x + box.width, confirm.x + confirm.width));
    await page.mouse.dblclick(overlap.x, overlap.y);
    await dialog.waitFor();
    await page.waitForLoadState('networkidle');
    const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
    expect(orders).toHaveLength(9);
    await findButton(dialog, 'Delete the order').click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => findButton(page, /^Delete the order/).count()).toBe(8);
  });
});

async function readBox(button: Locator) {
  const box = await button.boundingBox();
  return box ?? expect.unreachable('the button is not visible');
}
