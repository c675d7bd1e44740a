import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/customer.ts';
import { buy, placeOrder } from '../support/payments.ts';
import { stopClock } from './clock.ts';
import { fillFields } from './fields.ts';
import { holdRequests } from './held-requests.ts';
import { createPhoto } from './image-files.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const findLink = (page: Page, name: string) => page.getByRole('banner').getByRole('link', { name });

test('“Please Wait, Processing...” appears only if loading takes longer than 300 ms', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  await openPath(page, '/blogs');
  await page.waitForLoadState('networkidle');
  await stopClock(page);
  const release = await holdRequests(page, '**/api/products*');
  const requested = page.waitForRequest('**/api/products*');
  await findLink(page, 'Products').click();
  await requested;
  const message = page.getByText('Please Wait, Processing...');
  await page.clock.runFor(300);
  await expect.poll(() => message.isVisible()).toBe(false);
  await page.clock.runFor(700);
  await message.waitFor();
  release();
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await message.waitFor({ state: 'detached' });
});

test.each(['banner', 'contentinfo'] as const)(
  'a pressed link of the %s is marked at once, without moving anything, until its page opens',
  async (part) => {
    const page = await stage.open({ as: await stage.shop.signUp() });
    await openPath(page, '/blogs');
    await page.waitForLoadState('networkidle');
    await stopClock(page);
    const release = await holdRequests(page, '**/api/products*');
    const link = page.getByRole(part).getByRole('link', { name: 'Products' });
    await link.scrollIntoViewIfNeeded();
    const before = await link.boundingBox();
    const document = await page.evaluateHandle(() => window.document);
    await link.click();
    expect(await link.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    expect(
      await page.evaluate(() => getComputedStyle(window.document.documentElement, '::before').position),
    ).toBe('fixed');
    expect(await link.boundingBox()).toEqual(before);
    release();
    await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
    expect(await page.locator('[data-pending], [data-navigating]').count()).toBe(0);
    expect(await document.evaluate((loaded) => loaded === window.document)).toBe(true);
  },
);

test('a page that cannot load offline offers Retry, and opens by itself when the device is back online', async () => {
  const page = await stage.open({
    as: await stage.shop.signUp(),
    expected: [/ERR_INTERNET_DISCONNECTED/],
  });
  await openPath(page, '/products');
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await findLink(page, 'Home').click();
  await page.waitForURL(`${stage.shop.origin}/`);
  await page.context().setOffline(true);
  await findLink(page, 'Products').click();
  await page.getByRole('heading', { name: 'The shop cannot be reached', level: 1 }).waitFor();
  await page.getByText('This page opens by itself when you are back online.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Retry' }).isVisible()).toBe(true);
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
});

test('a failed call is reported, and Retry shows the page', async () => {
  const page = await stage.open({ as: await stage.shop.signUp(), expected: [/status of 500/] });
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  await page.route('**/api/products?*', (route) => route.fulfill({ status: 500, body: 'no problem' }));
  await page.route('**/api/products', (route) => route.fulfill({ status: 500, body: 'no problem' }));
  await findLink(page, 'Products').click();
  await page.getByText('The shop sent an unexpected response').first().waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
});

describe('a lazily loaded script', () => {
  test("that fails shows 'Loading chunk failed' with a Retry that reloads the page", async () => {
    const page = await stage.open({ expected: [/blogs.*\.js|ERR_FAILED/] });
    await openPath(page, '/');
    await page.waitForLoadState('networkidle');
    await page.route('**/static/js/*blogs*', (route) => route.abort());
    await findLink(page, 'Blogs').click();
    await page.getByRole('heading', { name: 'Loading chunk failed', level: 1 }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
  });

  test('that fails on the first page shows an error page with its styles', async () => {
    const page = await stage.open({
      as: await stage.shop.signUp(),
      expected: [/my-orders.*\.js|ERR_FAILED/],
    });
    await page.route('**/static/js/*my-orders*', (route) => route.abort());
    await page.goto('/dashboard/myOrder');
    const heading = page.getByRole('heading', { name: 'Loading chunk failed', level: 1 });
    await heading.waitFor();
    expect(await heading.evaluate((element) => getComputedStyle(element).fontFamily)).toMatch(/^Newsreader/);
  });

  test('that does not arrive fails after exactly 120,000 ms', async () => {
    const page = await stage.open();
    await openPath(page, '/');
    await page.waitForLoadState('networkidle');
    await stopClock(page);
    await page.route('**/static/js/*blogs*', () => undefined);
    const requested = page.waitForRequest('**/static/js/*blogs*');
    await findLink(page, 'Blogs').click();
    await requested;
    const failed = page.getByRole('heading', { name: 'Loading chunk failed' });
    await page.clock.runFor(119_999);
    await expect.poll(() => failed.isVisible()).toBe(false);
    await page.clock.runFor(1);
    await failed.waitFor();
  });
});

describe('if the session ends while a form is filled in, its input is there after signing in again', () => {
  /** Deletes all sessions of a user, as a password change does. */
  async function endSessions(email: string): Promise<void> {
    const { db } = stage.shop.database;
    const person = db.selectFrom('user').select('id').where('email', '=', email);
    await db.deleteFrom('session').where('userId', 'in', person).execute();
  }

  async function signInAgain(page: Page, email: string, password: string): Promise<void> {
    await page.getByText(/You have been signed out/).waitFor();
    await signIn(page, email, password);
  }

  test('the order form', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await stage.open({ as: nora, expected: [/status of 401/] });
    const product = await stage.product(2);
    await openPath(page, `/purchase/${product._id}`);
    await page.locator('#orderQuantity').fill('7');
    await page.getByLabel(/^Address/).fill('5 Verge Row');
    await page.getByLabel(/^Phone/).fill('0117 4960');
    await endSessions(nora.email);
    await page.getByRole('button', { name: 'Place order' }).click();
    await signInAgain(page, nora.email, nora.password);
    await page.getByRole('heading', { name: product.name, level: 1 }).waitFor();
    await expect.poll(() => page.locator('#orderQuantity').inputValue()).toBe('7');
    await expect.poll(() => page.getByLabel(/^Address/).inputValue()).toBe('5 Verge Row');
    await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    await page.getByText('5 Verge Row').waitFor();
  });

  test('the order form, which places an order only once even if its response was lost', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await stage.open({ as: nora, expected: [/ERR_FAILED/, /status of 401/] });
    const product = await stage.shop.addProduct({ name: 'Pivot locator' });
    await openPath(page, `/purchase/${product._id}`);
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/orders'))
        keys.push(request.headers()['idempotency-key']);
    });
    await page.route('**/api/orders', async (route) => {
      await route.fetch();
      await route.abort();
    });
    const placeOrders = page.getByRole('button', { name: 'Place order' });
    await placeOrders.click();
    await page.getByText('it will be placed only once').waitFor();
    await page.unrouteAll();
    await endSessions(nora.email);
    await placeOrders.click();
    await signInAgain(page, nora.email, nora.password);
    await page.getByRole('heading', { name: product.name, level: 1 }).waitFor();
    await page.getByText('what you typed is still here').waitFor();
    await placeOrders.click();
    await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    const client = stage.shop.client(await stage.shop.admin());
    const listOrders = () => client.call('listAllOrders', { query: { q: product.name } });
    expect(await listOrders()).toHaveLength(1);
    // Another order of the same product is a new one.
    await page.goBack();
    await placeOrders.click();
    await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    const [first, ...others] = keys;
    expect(others).toEqual([first, first, expect.any(String)]);
    expect(others[2]).not.toBe(first);
    expect(await listOrders()).toHaveLength(2);
  });

  test('shop details, without undoing what another admin has saved in the meantime', async () => {
    const [ada, ben] = [await stage.shop.admin(), await stage.shop.admin()];
    const page = await stage.open({ as: ada, expected: [/status of 401/] });
    await openPath(page, '/dashboard/shop');
    await page.getByLabel('Name').fill('Escapement Supplies');
    const body = { ...(await stage.shop.client(ben).call('getShopDetails', {})), address: '1 Mill Lane' };
    await stage.shop.client(ben).call('saveShopDetails', { body });
    await endSessions(ada.email);
    await page.getByRole('button', { name: 'Save details' }).click();
    await signInAgain(page, ada.email, ada.password);
    await page.getByRole('heading', { name: 'Shop Details', level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Escapement Supplies');
    await expect.poll(() => page.getByLabel('Address').inputValue()).toBe('1 Mill Lane');
  });

  test('a count, with the number that was expected when it began', async () => {
    const ada = await stage.shop.admin();
    const product = await stage.shop.addProduct({ a_quantity: 10 });
    const page = await stage.open({ as: ada, expected: [/status of 401/] });
    await openPath(page, `/dashboard/products/${product._id}/stock?reason=count`);
    await page.getByLabel('Pieces counted').fill('9');
    await placeOrder(stage.shop, await stage.shop.signUp(), product, 2);
    await endSessions(ada.email);
    await page.getByRole('button', { name: 'Record count' }).click();
    await signInAgain(page, ada.email, ada.password);
    await expect.poll(() => page.getByLabel('Pieces counted').inputValue()).toBe('9');
    await page.getByText('10 (8 available + 2 in open orders)').waitFor();
    await page.getByRole('button', { name: 'Record count' }).click();
    await page.getByText('Recorded −1: 7 in stock.').waitFor();
  });

  test('a delivery, which is recorded only once if its response was lost', async () => {
    const ada = await stage.shop.admin();
    const product = await stage.shop.addProduct({ a_quantity: 10 });
    const page = await stage.open({ as: ada, expected: [/ERR_FAILED/, /status of 401/] });
    await openPath(page, `/dashboard/products/${product._id}/stock`);
    await page.getByLabel('Pieces delivered').fill('5');
    await page.route('**/api/products/*/stock', async (route) => {
      await route.fetch();
      await route.abort();
    });
    const record = page.getByRole('button', { name: 'Record delivery' });
    await record.click();
    await page.getByRole('alert').waitFor();
    await page.unrouteAll();
    await endSessions(ada.email);
    await record.click();
    await signInAgain(page, ada.email, ada.password);
    await page.getByText('what you typed is still here').waitFor();
    await record.click();
    await page.getByText('Recorded +5: 15 in stock.').waitFor();
    // Another delivery of as many pieces is a new one.
    await page.getByLabel('Pieces delivered').fill('5');
    await record.click();
    await page.getByText('Recorded +5: 20 in stock.').waitFor();
  });

  test('the review form', async () => {
    const nora = await stage.shop.signUpConfirmed('Nora Newcomer');
    const product = await stage.shop.addProduct({ name: 'Straight file' });
    await buy(stage.shop, nora, product);
    const page = await stage.open({ as: nora, expected: [/status of 401/] });
    await openPath(page, '/dashboard/review');
    await page.getByLabel('Which tool?').selectOption(product.name);
    await page.getByRole('radio', { name: /^4 stars/ }).check();
    await page.getByLabel('Comments').fill('Holds its edge.');
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await endSessions(nora.email);
    await page.getByRole('button', { name: 'Add Review' }).click();
    await signInAgain(page, nora.email, nora.password);
    await page.getByRole('heading', { name: 'Add Review', level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel('Comments').inputValue()).toBe('Holds its edge.');
    await expect.poll(() => page.getByRole('radio', { name: /^4 stars/ }).isChecked()).toBe(true);
    await expect.poll(() => page.getByLabel('Which tool?').inputValue()).toBe(product._id);
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await page.getByRole('button', { name: 'Add Review' }).click();
    await page.getByText('Review Added Successfully!').waitFor();
    const reviews = await stage.shop
      .client()
      .call('listProductReviews', { params: { id: product._id }, query: {} });
    expect(reviews).toMatchObject([{ reviews: 'Holds its edge.', rating: 4 }]);
  });

  test('the product form', async () => {
    const ada = await stage.shop.admin('Ada Harrison');
    const page = await stage.open({ as: ada, expected: [/status of 401/] });
    await openPath(page, '/dashboard/addProduct');
    await fillFields(page, { Name: 'Pegwood', Price: '2.50', Description: 'Cleans pivot holes.' });
    await fillFields(page, { 'Order quantity': '10', 'Available quantity': '500' });
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await endSessions(ada.email);
    await page.getByRole('button', { name: 'Add Product' }).click();
    await signInAgain(page, ada.email, ada.password);
    await page.getByRole('heading', { name: 'Add Product', level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel('Price').inputValue()).toBe('2.50');
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await page.getByRole('button', { name: 'Add Product' }).click();
    await page.getByText('Product Added Successfully!').waitFor();
  });

  test('the profile form', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await stage.open({ as: nora, expected: [/status of 401/] });
    await openPath(page, '/dashboard');
    for (const label of ['Address', 'Phone', 'Education', 'LinkedIn'])
      await page.getByLabel(label, { exact: true }).fill(`My-${label}`);
    await endSessions(nora.email);
    await page.getByRole('button', { name: 'Save profile' }).click();
    await signInAgain(page, nora.email, nora.password);
    await page.getByRole('heading', { name: 'My Profile', level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel('LinkedIn', { exact: true }).inputValue()).toBe('My-LinkedIn');
  });
});

test('shop details that were kept while another admin saved changes are saved only after both versions are shown', async () => {
  const [ada, ben] = [await stage.shop.admin(), await stage.shop.admin()];
  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, '/dashboard/shop');
  const read = () => stage.shop.client(ben).call('getShopDetails', {});
  const name = page.getByLabel('Name', { exact: true });
  const save = page.getByRole('button', { name: 'Save details' });
  await name.fill('Fusee Ltd');
  const dashboard = page.getByRole('navigation', { name: 'Dashboard' });
  await dashboard.getByRole('link', { name: 'All Orders' }).click();
  await page.getByRole('heading', { name: 'All Orders', level: 1 }).waitFor();
  const body = { ...(await read()), name: 'Verge & Sons' };
  await stage.shop.client(ben).call('saveShopDetails', { body });
  await dashboard.getByRole('link', { name: 'Shop Details' }).click();
  await page.getByText('Your unsaved changes are still here.').waitFor();
  await save.click();
  await page.getByText('Another admin has changed these details').waitFor();
  await page.getByText('Verge & Sons').waitFor();
  await expect.poll(() => name.inputValue()).toBe('Fusee Ltd');
  expect(await read()).toMatchObject({ name: 'Verge & Sons' });
  await save.click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await read()).toMatchObject({ name: 'Fusee Ltd' });
});

describe('without JavaScript', () => {
  // The browser reports the scripts that it blocks.
  const expected = [/static\/js\/.*: csp$/, /sandbox\/stripe.*: csp$/];

  test('every page shows its content', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await stage.open({ as: nora, javaScriptEnabled: false, expected });
    const product = await stage.product();
    for (const [path, text] of [
      ['/', '544+'],
      ['/blogs', 'floating-point'],
      ['/products', product.name],
      ['/myPortfolio', 'Education'],
      [`/purchase/${product._id}`, product.name],
      ['/dashboard', nora.email],
      ['/dashboard/myOrder', 'No orders yet'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('main').getByText(text).first().waitFor();
    }
  });
});

test('navigation moves the focus to the heading and changes the title', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  await openPath(page, '/');
  const titles = new Set([await page.title()]);
  for (const [name, heading] of [
    ['Blogs', 'Blogs'],
    ['Products', 'Products'],
    ['MyPortfolio', /./],
    ['Dashboard', 'My Profile'],
    ['Home', /./],
  ] as const) {
    await findLink(page, name).click();
    const h1 = page.getByRole('heading', { name: heading, level: 1 });
    await expect.poll(() => h1.evaluate((element) => element === document.activeElement)).toBe(true);
    titles.add(await page.title());
  }
  expect(titles.size).toBe(5);
});

test('the first Tab stop is a link that skips the navigation', async () => {
  const page = await stage.open();
  await openPath(page, '/blogs');
  await page.keyboard.press('Tab');
  const readFocus = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await expect.poll(() => readFocus()).toMatch(/skip/i);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect
    .poll(() => page.evaluate(() => document.querySelector('main')?.contains(document.activeElement)))
    .toBe(true);
});
