import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/customer.ts';
import type { TestUser } from '../support/requests.ts';
import { fillFields } from './fields.ts';
import { holdRequests } from './held-requests.ts';
import { createPhoto, invalidImage } from './image-files.ts';
import { readDescription, readText, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage, waitForHydration } from './stage.ts';
import { pressButton } from './steps.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** Opens a page without JavaScript. Its console reports blocked scripts and rejected forms. */
const openWithoutScript = (as?: TestUser) =>
  stage.open({
    ...(as ? { as } : {}),
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /sandbox\/stripe.*: csp$/, /status of (400|401|409|422)/],
  });

const readValue = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue();
async function expectInViewport(message: Locator): Promise<void> {
  await message.waitFor();
  const height = message.page().viewportSize()?.height ?? 0;
  await expect.poll(async () => (await message.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0);
  expect((await message.boundingBox())?.y).toBeLessThan(height);
}

/** The path of the page, without the fragment that a link of the summary adds. */
const readPath = (page: Page) => page.url().slice(stage.shop.origin.length).split('#')[0];
const readMessage = (page: Page, label: string) => readDescription(page.getByLabel(label, { exact: true }));

test('a rejected sign-in keeps the email and the return path; a successful one leads there', async () => {
  const { _id, name } = await stage.product(2);
  const page = await openWithoutScript();
  await page.goto(`/purchase/${_id}?seen=on`);
  await signIn(page, 'customer@example.com', 'not-the-password');
  await page.getByRole('alert').getByText('Invalid email or password').waitFor();
  await expect.poll(() => page.title()).toMatch(/^Error: Login/);
  // The address, and so the history and logs, contains no input.
  const address = `/login?from=${encodeURIComponent(`/purchase/${_id}?seen=on`)}`;
  expect(readPath(page)).toBe(address);
  await expect.poll(() => readValue(page, 'Email')).toBe('customer@example.com');
  await expect.poll(() => readValue(page, 'Password')).toBe('');
  await pressButton(page, 'Login');
  await page.getByRole('link', { name: 'Password is Required' }).click();
  await expect.poll(() => readMessage(page, 'Password')).toContain('Password is Required');
  await expect.poll(() => readValue(page, 'Email')).toBe('customer@example.com');
  await page.getByLabel('Password').fill('clockwork');
  await pressButton(page, 'Login');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  expect(readPath(page)).toBe(`/purchase/${_id}?seen=on`);

  await pressButton(page, 'signOut');
  await page.getByRole('link', { name: 'signIn' }).first().waitFor();
  expect(readPath(page)).toBe('/');
  await page.goto('/dashboard');
  expect(readPath(page)).toBe('/login?from=%2Fdashboard');
});

test('a rejected sign-up keeps its input; a successful one leads to Products and on to the product', async () => {
  const { _id, name } = await stage.product(3);
  const page = await openWithoutScript();
  await page.goto(`/purchase/${_id}`);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await fillFields(page, { Name: 'Nora Newcomer', Email: 'nora at example.com', Password: '12345' });
  await pressButton(page, 'Sign up');
  await expect.poll(() => readMessage(page, 'Email')).toContain('Provide a valid Email');
  await expect.poll(() => readMessage(page, 'Password')).toContain('Must be 6 characters or longer');
  await expect.poll(() => readValue(page, 'Name')).toBe('Nora Newcomer');
  await expect.poll(() => readValue(page, 'Email')).toBe('nora at example.com');
  await fillFields(page, { Email: 'customer@example.com', Password: 'anchor-escapement' });
  await pressButton(page, 'Sign up');
  await page
    .getByRole('alert')
    .filter({ hasText: /exists/i })
    .waitFor();
  await fillFields(page, { Email: 'nora@example.com', Password: 'anchor-escapement' });
  await pressButton(page, 'Sign up');
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await page.getByRole('link', { name: `Continue to ${name}` }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
});

test('a rejected order keeps its input; a double click places one order', async () => {
  const product = await stage.shop.addProduct({ name: 'Taper pins', o_quantity: 3, a_quantity: 9 });
  const nora = await stage.shop.signUp('Nora Newcomer');
  const page = await openWithoutScript(nora);
  await page.goto(`/purchase/${product._id}`);
  await page.locator('#orderQuantity').fill('10');
  await page.getByLabel(/^Address/).fill('4 Fusee Lane\nCoventry');
  await page.getByLabel(/^Phone/).fill('0117 4960');
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.getByRole('alert').getByText('plz Input the write value').waitFor();
  await expect.poll(() => page.locator('#orderQuantity').inputValue()).toBe('10');
  await expect.poll(() => page.getByLabel(/^Address/).inputValue()).toBe('4 Fusee Lane\nCoventry');
  await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
  await page.locator('#orderQuantity').fill('4');
  // Without JavaScript the total cannot follow the quantity, so only the unit price is shown.
  await expect
    .poll(() => readText(page.locator('p').filter({ has: page.locator('output') })))
    .toBe('Price per pieceUSD 12.50');
  await expect
    .poll(() => page.getByRole('button', { name: 'Place order' }).getAttribute('aria-disabled'))
    .toBeNull();
  await expect.poll(() => page.getByRole('button', { name: /^One (less|more)$/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Place order' }).dblclick();
  await page.getByText('Add your product Successfully').waitFor();
  const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
  expect(orders).toHaveLength(1);
  expect(readPath(page)).toBe(`/dashboard/payment/${orders[0]?._id}?done=ordered`);
  expect(orders[0]).toMatchObject({ orderQuantity: 4, price: 50, address: '4 Fusee Lane\nCoventry' });
});

test('a chosen rating is shown by its stars, and the words beside them do not contradict it', async () => {
  const page = await openWithoutScript(await stage.shop.signUp('Nora Newcomer'));
  await page.goto('/dashboard/review');
  const readFills = () =>
    page.locator('label:has([name=rating]) svg').evaluateAll((stars) => {
      const fills = stars.map((star) => getComputedStyle(star).fill);
      return fills.map((fill) => fills.indexOf(fill));
    });
  await expect.poll(() => readFills()).toEqual([0, 0, 0, 0, 0]);
  // Use the keyboard, because a star under the pointer is drawn differently.
  await page.getByLabel('1 star,').focus();
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
  await expect.poll(() => readFills()).toEqual([0, 0, 0, 0, 4]);
  await expect.poll(() => page.getByText('Not rated yet').isVisible()).toBe(false);
});

test('Delete asks for confirmation on its own page', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  for (const name of ['Bow pliers', 'Cam washers']) {
    const { _id } = await stage.shop.addProduct({ name });
    const body = { orderId: _id, orderQuantity: 1, price: 12.5, user: nora.email };
    await stage.shop.client(nora).call('placeOrder', { body });
  }
  const page = await openWithoutScript(nora);
  await page.goto('/dashboard/myOrder');
  await pressButton(page, 'Delete the order for Bow pliers');
  await page.getByRole('heading', { name: 'Delete the order for Bow pliers?' }).waitFor();
  await page.getByRole('link', { name: 'Keep it' }).click();
  await expect.poll(() => page.getByRole('article').count()).toBe(2);
  await pressButton(page, 'Delete the order for Bow pliers');
  await pressButton(page, 'Delete the order');
  await page.getByText('The order is deleted.').waitFor();
  await expect.poll(() => page.getByText('Bow pliers').count()).toBe(0);
  await expect.poll(() => page.getByText('Cam washers', { exact: true }).isVisible()).toBe(true);
});

test('controls that need scripts are hidden: Show password and Continue with Google', async () => {
  const page = await openWithoutScript();
  await page.goto('/login');
  await expect.poll(() => page.getByRole('button').allTextContents()).toEqual(['Login']);
  const sentence = page.locator('noscript p');
  await expect.poll(() => sentence.isVisible()).toBe(true);
  await expect.poll(() => sentence.textContent()).toContain('Signing in with Google needs JavaScript');
});

test('a rejected review keeps its input and image; an accepted one is published', async () => {
  const page = await openWithoutScript(await stage.shop.signUp('Nora Newcomer'));
  await page.goto('/dashboard/review');
  await page.getByLabel('4 stars').check();
  await page.getByLabel('Image').setInputFiles(await createPhoto());
  await pressButton(page, 'Add Review');
  await expect.poll(() => readMessage(page, 'Comments')).toContain('Comments is Required');
  await expect.poll(() => page.getByLabel('4 stars').isChecked()).toBe(true);
  await expect.poll(() => page.getByRole('img', { name: /chose earlier/ }).isVisible()).toBe(true);
  await page.getByLabel('Comments').fill('Pulled a hand\nwithout a scratch.');
  await page.getByLabel('Image').setInputFiles(invalidImage);
  await pressButton(page, 'Add Review');
  await page.getByRole('alert').getByRole('link').first().waitFor();
  await expect.poll(() => readMessage(page, 'Image')).toMatch(/JPEG|picture/);
  await expect.poll(() => readValue(page, 'Comments')).toBe('Pulled a hand\nwithout a scratch.');
  await pressButton(page, 'Add Review');
  await page.getByText(/Your review is published/).waitFor();
  await expect.poll(() => readValue(page, 'Comments')).toBe('');
  const [review] = await stage.shop.client().call('listReviews', { query: { limit: 1 } });
  expect(review).toMatchObject({ rating: 4, reviews: 'Pulled a hand\nwithout a scratch.' });
});

test('a rejected product keeps its input and image; an accepted one is in the catalogue', async () => {
  const page = await openWithoutScript(await stage.shop.admin());
  await page.goto('/dashboard/addProduct');
  await fillFields(page, { Name: 'Pegwood', Price: '2,505', Description: 'Cleans pivot holes.' });
  await fillFields(page, { 'Order quantity': '10' });
  await page.getByLabel('Image').setInputFiles(await createPhoto());
  await pressButton(page, 'Add Product');
  await expect.poll(() => readMessage(page, 'Price')).toContain('Price must be in digits');
  await expect
    .poll(() => readMessage(page, 'Available quantity'))
    .toContain('Available quantity is Required');
  for (const [label, typed] of [
    ['Name', 'Pegwood'],
    ['Price', '2,505'],
    ['Order quantity', '10'],
    ['Description', 'Cleans pivot holes.'],
  ] as const)
    await expect.poll(() => readValue(page, label)).toBe(typed);
  await fillFields(page, { Price: '2,50', 'Available quantity': '500' });
  await pressButton(page, 'Add Product');
  await page.getByText('Product Added Successfully!').waitFor();
  const added = (await stage.shop.client().call('listProducts', { query: {} })).at(-1);
  expect(added).toMatchObject({ name: 'Pegwood', price: 2.5, o_quantity: 10, a_quantity: 500 });
});

describe('the profile', () => {
  test('keeps its input when it is rejected, and is saved when it is valid', async () => {
    const page = await openWithoutScript(await stage.shop.signUp('Nora Newcomer'));
    await page.goto('/dashboard');
    await fillFields(page, {
      Address: '4 Fusee Lane\nCoventry',
      Phone: '0117 4960',
      LinkedIn: 'javascript:alert(1)',
    });
    await pressButton(page, 'Save profile');
    await expect.poll(() => readMessage(page, 'Education')).toContain('Education is Required');
    await expect.poll(() => readMessage(page, 'LinkedIn')).toContain('LinkedIn must be an address such as');
    await expect.poll(() => readValue(page, 'Address')).toBe('4 Fusee Lane\nCoventry');
    await expect.poll(() => readValue(page, 'LinkedIn')).toBe('javascript:alert(1)');
    await fillFields(page, { Education: 'BHI', LinkedIn: 'in/nora' });
    await pressButton(page, 'Save profile');
    await page.getByText(/^Saved/).waitFor();
    await page.goto('/dashboard');
    await expect.poll(() => readValue(page, 'Address')).toBe('4 Fusee Lane\nCoventry');
    await expect.poll(() => readValue(page, 'LinkedIn')).toBe('in/nora');
  });

  test('requires the current password to change it, and this browser stays signed in', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await openWithoutScript(nora);
    await page.goto('/dashboard');
    await fillFields(page, { 'Current password': 'not-the-password', 'New password': 'verge-escapement' });
    await pressButton(page, 'Change password');
    await page.getByRole('alert').getByText('Invalid password').waitFor();
    await expect.poll(() => readValue(page, 'New password')).toBe('');
    await fillFields(page, { 'Current password': nora.password, 'New password': 'verge-escapement' });
    await pressButton(page, 'Change password');
    await page.getByText('Changed. You are signed out everywhere else.').waitFor();
    await stage.shop.signIn(nora.email, 'verge-escapement');
    await page.goto('/dashboard/myOrder');
    await page.getByRole('heading', { name: 'My Orders', level: 1 }).waitFor();
  });
});

test('the payment page says that it needs JavaScript', async () => {
  const nora = await stage.shop.signUp();
  const { _id } = await stage.shop.addProduct();
  const body = { orderId: _id, orderQuantity: 1, price: 12.5, user: nora.email };
  const { insertedId } = await stage.shop.client(nora).call('placeOrder', { body });
  const page = await openWithoutScript(nora);
  await page.goto(`/dashboard/payment/${insertedId}`);
  const sentence = page.locator('noscript p');
  await expect.poll(() => sentence.isVisible()).toBe(true);
  await expect.poll(() => sentence.textContent()).toContain('Paying by card needs JavaScript');
});

test('the import page says that it needs JavaScript, and offers no file field', async () => {
  const page = await openWithoutScript(await stage.shop.admin());
  await page.goto('/dashboard/products/import');
  const notice = page.locator('main noscript > *').first();
  await expect.poll(() => notice.isVisible()).toBe(true);
  await expect.poll(() => notice.textContent()).toContain('Importing a file needs JavaScript');
  expect(await page.getByLabel('CSV file').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Export all products' }).waitFor();
});

describe('before the script has loaded', () => {
  test('a rejected sign-in keeps the email and the return path, before and after hydration', async () => {
    const page = await stage.open({ expected: [/status of 401/] });
    const release = await holdRequests(page, '**/static/js/**');
    await page.goto('/login?from=/myPortfolio', { waitUntil: 'commit' });
    await page.getByLabel('Email').fill('customer@example.com');
    await page.getByLabel('Password').fill('not-the-password');
    await page.getByRole('button', { name: 'Login', exact: true }).click({ noWaitAfter: true });
    await page.getByRole('alert').getByText('Invalid email or password').waitFor();
    // Type into the response before its script has loaded.
    await page.getByLabel('Password').fill('clockwork');
    release();
    await waitForHydration(page);
    await page.getByRole('alert').getByText('Invalid email or password').waitFor();
    await expect.poll(() => readValue(page, 'Email')).toBe('customer@example.com');
    await expect.poll(() => readValue(page, 'Password')).toBe('clockwork');
    const posted = page.waitForRequest('**/api/auth/sign-in/email');
    await pressButton(page, 'Login');
    await posted;
    await page.waitForURL('**/myPortfolio');
  });

  test('a form with an image keeps its input during hydration and sends it', async () => {
    const page = await stage.open({ as: await stage.shop.signUp('Nora Newcomer') });
    const release = await holdRequests(page, '**/static/js/**');
    await page.goto('/dashboard/review', { waitUntil: 'commit' });
    await page.getByLabel('2 stars').check();
    await page.getByLabel('Comments').fill('It bent.');
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    release();
    await waitForHydration(page);
    await page.getByRole('img', { name: /^Preview/ }).waitFor();
    await expect.poll(() => readValue(page, 'Comments')).toBe('It bent.');
    const posted = page.waitForRequest('**/api/review');
    await pressButton(page, 'Add Review');
    expect((await posted).postDataJSON()).toMatchObject({ rating: 2, reviews: 'It bent.' });
    await page.getByText(/Your review is published/).waitFor();
  });

  test('hydration keeps an image that a rejected form has uploaded, and sends it with the form', async () => {
    const page = await stage.open({
      as: await stage.shop.signUp('Nora Newcomer'),
      expected: [/status of 422/],
    });
    const release = await holdRequests(page, '**/static/js/**');
    await page.goto('/dashboard/review', { waitUntil: 'commit' });
    await page.getByLabel('5 stars').check();
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await page.getByRole('button', { name: 'Add Review' }).click({ noWaitAfter: true });
    await page.getByRole('link', { name: 'Comments is Required' }).waitFor();
    release();
    await waitForHydration(page);
    await expect.poll(() => page.getByLabel('5 stars').isChecked()).toBe(true);
    const calls = recordWrites(page);
    await page.getByLabel('Comments').fill('Held up well.');
    await pressButton(page, 'Add Review');
    await page.getByText(/Your review is published/).waitFor();
    expect(calls).toEqual(['POST /api/review']);
    // The form is ready for the next review, without the last one's input.
    await expect.poll(() => readValue(page, 'Comments')).toBe('');
    await expect.poll(() => page.getByLabel('5 stars').isChecked()).toBe(false);
  });

  test('a rejected order can be corrected before hydration, which keeps the input', async () => {
    const { _id } = await stage.shop.addProduct({ o_quantity: 3, a_quantity: 9 });
    const page = await stage.open({ as: await stage.shop.signUp(), expected: [/status of 422/] });
    const release = await holdRequests(page, '**/static/js/**');
    await page.goto(`/purchase/${_id}`, { waitUntil: 'commit' });
    const quantity = page.locator('#orderQuantity');
    const button = page.getByRole('button', { name: 'Place order' });
    await quantity.fill('10');
    await button.click({ noWaitAfter: true });
    await page.getByRole('alert').getByText('plz Input the write value').waitFor();
    await expect.poll(() => button.getAttribute('aria-disabled')).toBeNull();
    await quantity.fill('4');
    release();
    await waitForHydration(page);
    await expect.poll(() => page.locator('output').textContent()).toBe('USD 50.00');
    await expect.poll(() => quantity.inputValue()).toBe('4');
  });

  test('an order submitted with and without the script is placed once', async () => {
    const { _id } = await stage.shop.addProduct();
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora });
    await openPath(page, `/purchase/${_id}`);
    const form = page.locator('form').filter({ hasText: 'Place order' });
    const fields = await form.evaluate((element) =>
      element instanceof HTMLFormElement
        ? [...new FormData(element)].map(([name, text]): [string, string] => [name, String(text)])
        : [],
    );
    await pressButton(page, 'Place order');
    await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    const init = { method: 'POST', body: new URLSearchParams(fields) };
    expect((await stage.shop.send(`/purchase/${_id}`, init, nora)).status).toBe(303);
    const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
    expect(orders).toHaveLength(1);
  });
});

describe('the basket without scripts', () => {
  test('on a phone, Add to basket and a rejected order show their message in the viewport', async () => {
    const pins = await stage.shop.addProduct({ name: 'Taper pins', o_quantity: 3, a_quantity: 9 });
    const page = await openWithoutScript(await stage.shop.signUp());
    await page.setViewportSize({ width: 360, height: 640 });
    await page.goto(`/purchase/${pins._id}`);
    await pressButton(page, 'Add to basket');
    await expectInViewport(page.getByText('Added to your basket'));
    await page.locator('#orderQuantity').fill('10');
    await pressButton(page, 'Place order');
    await expectInViewport(page.getByRole('alert').getByText('plz Input the write value'));
  });

  test('plain form posts add, change, remove and order tools', async () => {
    const pins = await stage.shop.addProduct({ name: 'Taper pins', price: 2, o_quantity: 3, a_quantity: 9 });
    const key = await stage.shop.addProduct({ name: 'Star key', price: 5 });
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await openWithoutScript(nora);
    await page.goto(`/purchase/${pins._id}`);
    await page.locator('#addQuantity').fill('10');
    await pressButton(page, 'Add to basket');
    await page.getByRole('alert').getByText('plz Input the write value').waitFor();
    await expect.poll(() => page.locator('#addQuantity').inputValue()).toBe('10');
    await page.locator('#addQuantity').fill('4');
    await pressButton(page, 'Add to basket');
    await page.getByText('Added to your basket').waitFor();
    expect(readPath(page)).toBe(`/purchase/${pins._id}?done=added`);
    // The form shows the minimum again, and adds to the quantity in the basket.
    await page.getByRole('button', { name: '4 in your basket' }).click();
    await expect
      .poll(async () => (await stage.shop.client(nora).call('getBasket', {})).lines[0]?.quantity)
      .toBe(7);
    await page.locator('#addQuantity').fill('3');
    await page.getByRole('button', { name: '7 in your basket' }).click();
    await page.getByRole('alert').getByText('Only 9 left, and your basket has 7 of them').waitFor();
    await page.goto(`/purchase/${key._id}`);
    await pressButton(page, 'Add to basket');
    await page.getByRole('banner').getByRole('link', { name: 'Basket, 8 pieces', exact: true }).click();

    await page.getByLabel('Quantity of Taper pins', { exact: true }).fill('20');
    await pressButton(page, 'Update Taper pins');
    await expect.poll(() => readMessage(page, 'Quantity of Taper pins')).toContain('Only 9 left');
    await expect.poll(() => readValue(page, 'Quantity of Taper pins')).toBe('7');
    await page.getByLabel('Quantity of Taper pins', { exact: true }).fill('5');
    await page.getByLabel('Quantity of Taper pins', { exact: true }).press('Enter');
    await page.getByText('Your basket is up to date.').waitFor();
    await expect.poll(() => page.locator('main output').textContent()).toBe('USD 15.00');
    await pressButton(page, 'Remove Star key');
    await page.getByText('Your basket is up to date.').waitFor();
    await expect.poll(() => page.getByText('Star key').count()).toBe(0);

    await page.getByLabel(/^Address/).fill('4 Fusee Lane\nCoventry');
    await page.getByRole('button', { name: 'Place order' }).dblclick();
    await page.getByText('Add your product Successfully').waitFor();
    const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
    expect(orders).toMatchObject([{ orderQuantity: 5, price: 10, address: '4 Fusee Lane\nCoventry' }]);
    await expect.poll(async () => (await stage.shop.client(nora).call('getBasket', {})).lines).toEqual([]);
  });

  test('a rejected purchase says what has changed, keeps the input and can be corrected', async () => {
    const pins = await stage.shop.addProduct({ name: 'Taper pins', price: 2 });
    const key = await stage.shop.addProduct({ name: 'Star key', price: 5 });
    const nora = await stage.shop.signUp('Nora Newcomer');
    for (const { _id: id } of [pins, key])
      await stage.shop.client(nora).call('setBasketLine', { params: { id }, body: { quantity: 4 } });
    const page = await openWithoutScript(nora);
    await page.goto('/basket');
    await page.getByLabel(/^Phone/).fill('0117 4960');
    const { db } = stage.shop.database;
    await db.updateTable('product').set({ price: 600, available: 3 }).where('id', '=', key._id).execute();
    await page.getByRole('button', { name: 'Place order' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'There is not enough stock of: Star key.' });
    await notice.getByText('Star key: only 3 left.').waitFor();
    await notice.getByText('Star key now costs USD 6.00 each, not USD 5.00.').waitFor();
    await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
    await pressButton(page, 'Set to 3 for Star key');
    await page.getByText('Your basket is up to date.').waitFor();
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.getByText('Add your product Successfully').waitFor();
    const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
    expect(orders.map(({ price }) => price)).toEqual([18, 8]);
  });

  test('Add to basket pressed before the script has loaded does not place an order', async () => {
    const { _id } = await stage.shop.addProduct();
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora });
    const release = await holdRequests(page, '**/static/js/purchase-*');
    await page.goto(`/purchase/${_id}`, { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Add to basket' }).click({ noWaitAfter: true });
    release();
    await page.getByText('Added to your basket').waitFor();
    const orders = await stage.shop.client(nora).call('listOwnOrders', { query: { user: nora.email } });
    expect(orders).toEqual([]);
    await expect
      .poll(async () => (await stage.shop.client(nora).call('getBasket', {})).lines)
      .toHaveLength(1);
  });
});
