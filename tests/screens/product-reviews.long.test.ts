import type { Page } from 'playwright-core';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findUserId } from '../../server/shop/users/find-users.ts';
import { buy, shipOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { createPhoto } from './image-files.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage, waitForTab } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

async function write(person: TestUser, product: string, rating: number, reviews: string): Promise<string> {
  const { img } = await stage.product();
  const body = { product, rating, reviews, img };
  return (await stage.shop.client(person).call('addReview', { body })).insertedId;
}

/** A tool without reviews. */
const addTool = () => stage.shop.addProduct({ name: 'Clock oil' });

const findReviews = (page: Page) => page.getByRole('region', { name: 'Reviews' });

test('a customer reviews a purchased tool from My Orders, edits the review and deletes it', async () => {
  const nora = await stage.shop.signUpConfirmed('Nora Newcomer');
  const product = await addTool();
  const { order } = await buy(stage.shop, nora, product);
  const admin = stage.shop.client(await stage.shop.admin());
  await shipOrder(admin, { params: { id: order._id }, body: { orderStatus: 'sipping' } });
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  await page.getByRole('link', { name: `Write a review of ${product.name}` }).click();
  const tool = page.getByLabel('Which tool?');
  await expect.poll(() => tool.inputValue()).toBe(product._id);
  await expect
    .poll(() => tool.locator('option').allTextContents())
    .toEqual(['The shop in general', product.name]);
  await page.getByRole('radio', { name: /^4 stars/ }).check();
  await page.getByLabel('Comments').fill('Holds its edge.');
  await page.getByLabel('Image').setInputFiles(await createPhoto());
  await page.getByRole('button', { name: 'Add Review' }).click();
  const own = page.getByRole('region', { name: 'Your reviews' });
  await own.getByText('Holds its edge.').waitFor();
  await tool.waitFor({ state: 'detached' });

  await openPath(page, `/purchase/${product._id}`);
  const reviews = findReviews(page);
  await expect.poll(() => readText(reviews)).toMatch(/4\.0.*1 review.*Nora Newcomer.*Verified order/s);
  await expect.poll(() => reviews.getByRole('link', { name: 'Write a review' }).count()).toBe(0);
  await reviews.getByRole('link', { name: 'Edit or delete your review' }).click();
  await page.getByRole('heading', { name: 'Edit your review' }).waitFor();
  await expect.poll(() => page.getByLabel('Comments').inputValue()).toBe('Holds its edge.');
  await expect.poll(() => page.getByRole('radio', { name: /^4 stars/ }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: /^2 stars/ }).check();
  await page.getByRole('button', { name: 'Save the review' }).click();
  await page.getByText('Your review is saved.').waitFor();
  await expect.poll(() => readText(own)).toContain('Rated 2 of 5');

  await own.getByRole('link', { name: /^Delete/ }).click();
  await page.getByText(`Delete your review of ${product.name}?`).waitFor();
  await page.getByRole('button', { name: 'Delete the review' }).click();
  await page.getByText('Your review is deleted.').waitFor();
  const { rating } = await stage.shop.client(nora).call('getProduct', { params: { id: product._id } });
  expect(rating).toBeUndefined();
});

test('without scripts, reviews are sorted, reported, edited and deleted', async () => {
  const [otto, ann] = [
    await stage.shop.signUpConfirmed('Otto Oldtimer'),
    await stage.shop.signUpConfirmed('Ann Arbor'),
  ];
  const { _id: product, name } = await addTool();
  await write(otto, product, 5, 'True.');
  const bad = await write(ann, product, 1, 'Bent.');
  const page = await stage.open({
    as: otto,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /status of 422/],
  });
  await page.goto(`/purchase/${product}`);
  const authors = () => findReviews(page).getByRole('listitem').filter({ hasText: /Rated/ }).allInnerTexts();
  await expect
    .poll(async () => (await authors()).map((text) => text.split('\n')[0]))
    .toEqual(['Ann Arbor', 'Otto Oldtimer']);
  // Two reviews are too few for bars.
  expect(await readText(findReviews(page))).not.toContain('5 stars: ');
  await page.getByRole('link', { name: 'Best first' }).click();
  await expect
    .poll(async () => (await authors()).map((text) => text.split('\n')[0]))
    .toEqual(['Otto Oldtimer', 'Ann Arbor']);

  await page.getByText('Report the review by Ann Arbor').click();
  await page.getByRole('button', { name: 'Send report' }).click();
  await page.getByText('Reason is Required').waitFor();
  await page.getByLabel('What is wrong with it?').fill('Rude.');
  await page.getByRole('button', { name: 'Send report' }).click();
  await page.getByText('will look at the review that you reported').waitFor();
  const admin = stage.shop.client(await stage.shop.admin());
  await expect
    .poll(() => admin.call('listReviews', { query: { reported: 'true' } }))
    .toMatchObject([{ _id: bad, reports: { count: 1, reasons: ['Rude.'] } }]);

  await page.goto('/dashboard/review');
  await page.getByRole('link', { name: `Edit the review of ${name}` }).click();
  await page.getByLabel('Comments').fill('True to 0.01 mm.');
  await page.getByRole('button', { name: 'Save the review' }).click();
  await page.getByText('Your review is saved.').waitFor();
  await page.getByRole('link', { name: `Delete the review of ${name}` }).click();
  await page.getByRole('button', { name: 'Delete the review' }).click();
  await page.getByText('Your review is deleted.').waitFor();
  await expect.poll(() => page.getByRole('region', { name: 'Your reviews' }).count()).toBe(0);
});

test('Show more reviews adds them and focuses the first; with Ctrl, it opens them in another tab', async () => {
  const { _id: product } = await addTool();
  for (let index = 1; index <= 13; index++)
    await write(await stage.shop.signUpConfirmed(`Reader ${index}`), product, 4, 'Fits.');
  const page = await stage.open({ as: await stage.shop.signUpConfirmed('Ann Arbor') });
  await openPath(page, `/purchase/${product}`);
  const authors = findReviews(page).getByRole('listitem').filter({ hasText: 'Fits.' });
  const more = page.getByRole('link', { name: 'Show more reviews' });
  await more.click({ modifiers: ['ControlOrMeta'] });
  await waitForTab(page, /after=/);
  await expect.poll(() => authors.count()).toBe(12);
  await expect.poll(() => readText(findReviews(page))).toContain('4 stars: 13 reviews');
  await more.click();
  await expect.poll(() => authors.count()).toBe(13);
  await expect
    .poll(() => authors.last().evaluate((element) => element === document.activeElement))
    .toBe(true);
});

test('a review’s image opens large with the keyboard; Escape closes it and returns the focus', async () => {
  const [tom, ann] = [
    await stage.shop.signUpConfirmed('Tom Tompion'),
    await stage.shop.signUpConfirmed('Ann Arbor'),
  ];
  const { _id: product } = await addTool();
  await write(tom, product, 5, 'True.');
  const page = await stage.open({ as: ann });
  await openPath(page, `/purchase/${product}`);
  const link = page.getByRole('link', { name: 'Large view of the image by Tom Tompion' });
  await link.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Image by Tom Tompion' });
  await dialog.getByRole('img').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
  await link.click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'hidden' });
});

test('a reader reports a review; an admin sees it on the overview and dismisses the report', async () => {
  const [mallory, ann, ada] = [
    await stage.shop.signUpConfirmed('Mallory Merchant'),
    await stage.shop.signUpConfirmed('Ann Arbor'),
    await stage.shop.admin('Ada Harrison'),
  ];
  const { _id: product } = await addTool();
  await write(mallory, product, 5, 'Cheaper elsewhere.');
  const reader = await stage.open({ as: ann });
  await openPath(reader, `/purchase/${product}`);
  await reader.getByText('Report the review by Mallory Merchant').click();
  await reader.getByLabel('What is wrong with it?').fill('Advertising.');
  await reader.getByRole('button', { name: 'Send report' }).click();
  const thanks = reader.getByText('will look at this review');
  await expect.poll(() => thanks.evaluate((element) => element === document.activeElement)).toBe(true);

  const page = await stage.open({ as: ada });
  await openPath(page, '/dashboard');
  await page.getByRole('link', { name: /^\d reviews?$/ }).click();
  const tab = page.getByRole('link', { name: /^Reported/ });
  const admin = stage.shop.client(ada);
  const { length } = await admin.call('listReviews', { query: { reported: 'true' } });
  await expect.poll(() => tab.textContent()).toBe(`Reported (${length})`);
  const row = page.getByRole('row').filter({ hasText: mallory.email });
  await expect.poll(() => readText(row)).toContain('1 report: “Advertising.”');
  // The report may be about the image or the tool.
  const tool = row.getByRole('link', { name: 'Clock oil' });
  await expect.poll(() => tool.getAttribute('href')).toBe(`/purchase/${product}`);
  await row.getByRole('link', { name: 'Large view of the image by Mallory Merchant' }).click();
  const image = page.getByRole('dialog', { name: 'Image by Mallory Merchant' });
  await image.getByRole('button', { name: 'Close' }).click();
  await image.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Dismiss the reports of the review by Mallory Merchant' }).click();
  await page.getByRole('status').getByText('are dismissed').waitFor();
  await row.waitFor({ state: 'detached' });
  await expect.poll(() => tab.textContent()).toBe(length > 1 ? `Reported (${length - 1})` : 'Reported');

  // Another admin is faster.
  const reviews = await admin.call('listReviews', {});
  const params = { id: reviews.find(({ name }) => name === mallory.name)?._id ?? '' };
  await stage.shop.client(ann).call('reportReview', { params, body: { reason: 'Advertising.' } });
  await openPath(page, '/dashboard/reviews?reported');
  await row.waitFor();
  await admin.call('dismissReports', { params, query: { until: new Date().toISOString() } });
  await row.getByRole('button', { name: 'Dismiss the reports of the review by Mallory Merchant' }).click();
  await page.getByRole('status').getByText('were already dismissed').waitFor();
  await row.waitFor({ state: 'detached' });
});

test.each([true, false])(
  'a customer with an unconfirmed address can review the shop, and get the link again to review a tool (scripts: %s)',
  async (javaScriptEnabled) => {
    const [eve, product] = [await stage.shop.signUp('Eve Elsewhere'), await addTool()];
    const expected = javaScriptEnabled ? [] : [/static\/js\/.*: csp$/];
    const page = await stage.open({ as: eve, javaScriptEnabled, expected });
    const path = `/dashboard/review?product=${product._id}`;
    await (javaScriptEnabled ? openPath(page, path) : page.goto(path));
    await page.getByText('You can review tools once your address is confirmed.').waitFor();
    await expect.poll(() => page.getByLabel('Which tool?').count()).toBe(0);
    await page.getByRole('radio', { name: /^4 stars/ }).check();
    await page.getByLabel('Comments').fill('A tidy parcel.');
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await page.getByRole('button', { name: 'Add Review' }).click();
    const own = page.getByRole('region', { name: 'Your reviews' });
    await own.getByText('A tidy parcel.').waitFor();
    await expect.poll(() => readText(own)).toContain('The shop in general');
    await page.getByRole('button', { name: 'Send the link again' }).click();
    await page.getByText('Sent. Check your inbox.').waitFor();
  },
);

test('revalidating the page of a tool reloads its reviews', async () => {
  const [tom, product] = [
    await stage.shop.signUpConfirmed('Tom Tompion'),
    await stage.shop.addProduct({ a_quantity: 0 }),
  ];
  const id = await write(tom, product._id, 5, 'True.');
  const page = await stage.open({ as: tom });
  await openPath(page, `/purchase/${product._id}`);
  const body = { reviews: 'Bent after a week.' };
  await stage.shop.client(tom).call('editReview', { params: { id }, body });
  await page.getByRole('button', { name: 'Tell me when it’s back' }).click();
  await findReviews(page).getByText('Bent after a week.').waitFor();
});

test('a link to review a reviewed tool opens the review for editing, even if the customer has written hundreds', async () => {
  const ann = await stage.shop.signUpConfirmed('Ann Arbor');
  const { _id: product, img } = await addTool();
  await write(ann, product, 4, 'The first of many.');
  const user_id = (await findUserId(stage.shop.database.db, ann.email)) ?? expect.unreachable();
  const rows = Array.from({ length: 201 }, (_, index) => ({
    id: uuidv7(),
    name: ann.name,
    user_id,
    rating: 5,
    text: `Review ${index}`,
    image: img,
    created_at: Date.now(),
  }));
  await stage.shop.database.db.insertInto('review').values(rows).execute();
  const page = await stage.open({ as: ann });
  await openPath(page, `/dashboard/review?product=${product}`);
  await page.getByRole('heading', { name: 'Edit your review' }).waitFor();
  await expect.poll(() => page.getByLabel('Comments').inputValue()).toBe('The first of many.');
});
