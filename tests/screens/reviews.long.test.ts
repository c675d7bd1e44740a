import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/requests.ts';
import { createPhoto } from './image-files.ts';
import { readDescription, readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage();
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

async function addReview(person: TestUser, reviews: string): Promise<string> {
  const { img } = await stage.product();
  const body = { rating: 2, reviews, img };
  return (await stage.shop.client(person).call('addReview', { body })).insertedId;
}

/** 2,000 characters: a separate first line, an unbroken word of 300 letters, and `The end`. */
function longText(first: string): string {
  const filling = 'It was used every day for a month. '.repeat(60);
  return `${`${first}\n\n${'a'.repeat(300)} ${filling}`.slice(0, 1992)} The end`;
}

const findCards = (page: Page) => page.getByRole('listitem').filter({ hasText: /Rated \d of 5/ });
const findCard = (page: Page, person: TestUser) => findCards(page).filter({ hasText: person.name });
const measureOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const hasFocus = (item: Locator) => item.evaluate((element) => element === document.activeElement);

describe('a long review on the home page', () => {
  test('opens in its card, line breaks included, with the keyboard', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const text = longText('The first line.');
    await addReview(nora, text);
    const page = await stage.open({ viewport: { width: 320, height: 740 } });
    await openPath(page, '/');
    const card = findCard(page, nora);
    await expect.poll(() => readText(card)).not.toContain('The end');
    const link = card.getByRole('link', { name: 'Read full review by Nora Newcomer' });
    await link.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => readText(card)).toContain('The end');
    // The shortened text is gone, the line break is there, and the card has the focus that its link had.
    await expect.poll(async () => (await readText(card)).match(/The first line/g)).toHaveLength(1);
    await expect.poll(async () => (await card.allInnerTexts())[0]).toContain(text);
    // The text begins under the image, not beside it.
    const image = await card.locator('img').boundingBox();
    const words = await card.getByText('The end').boundingBox();
    expect(words?.x).toBe(image?.x);
    expect(words?.y).toBeGreaterThan((image?.y ?? 0) + (image?.height ?? 0));
    await link.waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus(card)).toBe(true);
    await expect.poll(() => measureOverflow(page)).toBe(0);
    expect(new URL(page.url()).search).toBe('');
  });

  test('opens without scripts, at its card', async () => {
    const otto = await stage.shop.signUp('Otto Oldtimer');
    const id = await addReview(otto, longText('Read me without scripts.'));
    const page = await stage.open({ javaScriptEnabled: false });
    await page.goto('/');
    await findCard(page, otto)
      .getByRole('link', { name: /^Read full review/ })
      .click();
    await findCard(page, otto).getByText('The end').waitFor();
    const { search, hash } = new URL(page.url());
    expect([search, hash]).toEqual([`?review=${id}`, '#review']);
    await expect.poll(() => findCard(page, otto).getByRole('link').count()).toBe(0);
    await expect
      .poll(() =>
        findCards(page)
          .getByRole('link', { name: /^Read full review/ })
          .count(),
      )
      .toBe(11);
  });

  test('opens after it was added by Show more reviews', async () => {
    const page = await stage.open();
    await openPath(page, '/');
    const before = await findCards(page).count();
    await page.getByRole('link', { name: 'Show more reviews' }).click();
    await expect.poll(() => findCards(page).count()).toBeGreaterThan(before);
    const last = findCards(page).last();
    const link = last.getByRole('link', { name: /^Read full review/ });
    // In another tab, the link leads to a page that shows this review in full, too.
    const address = (await link.getAttribute('href')) ?? '';
    await link.click();
    await link.waitFor({ state: 'detached' });
    const fullText = await readText(last);
    const other = await stage.open({ javaScriptEnabled: false });
    await other.goto(address);
    await expect.poll(() => readText(findCards(other).first())).toBe(fullText);
  });

  test('that was hidden in the meantime is reported as no longer shown', async () => {
    const eve = await stage.shop.signUp('Eve Elsewhere');
    const id = await addReview(eve, longText('Cheap watches elsewhere.'));
    const page = await stage.open();
    await openPath(page, '/');
    await stage.shop
      .client(admin)
      .call('hideReview', { params: { id }, body: { version: 1, reason: 'Advertising.' } });
    await findCard(page, eve)
      .getByRole('link', { name: /^Read full review/ })
      .click();
    await page.getByRole('status').getByText('This review is no longer shown.').waitFor();
  });
});

describe('Reviews', () => {
  test('an admin answers a review in public, and another admin’s answer in the meantime is shown, not replaced', async () => {
    const olga = await stage.shop.signUp('Olga Owner');
    const id = await addReview(olga, 'The case arrived open.');
    const page = await stage.open({ as: admin, expected: [/status of 409/] });
    await openPath(page, '/dashboard/reviews');
    await page.getByRole('button', { name: 'Answer the review by Olga Owner' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer the review by Olga Owner' });
    await dialog.getByLabel('Answer').fill('We now seal it.');
    const other = stage.shop.client(await stage.shop.admin());
    await other.call('answerReview', { params: { id }, body: { version: 1, answer: 'Sorry.' } });
    await dialog.getByRole('button', { name: 'Answer in public' }).click();
    await dialog.getByText('Another admin has saved this answer: “Sorry.”').waitFor();
    expect(await dialog.getByLabel('Answer').inputValue()).toBe('We now seal it.');
    await dialog.getByRole('button', { name: 'Answer in public' }).click();
    await page.getByRole('row').filter({ hasText: olga.email }).getByText('We now seal it.').waitFor();
  });

  test('an admin hides a review with a reason; its author reads the reason, and the admin shows it again', async () => {
    const mallory = await stage.shop.signUp('Mallory Merchant');
    await addReview(mallory, longText('Visit my shop.'));
    const page = await stage.open({ as: admin });
    await openPath(page, '/dashboard');
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Reviews' }).click();
    await page.getByRole('heading', { name: 'Reviews', level: 1 }).waitFor();
    const row = page.getByRole('row').filter({ hasText: mallory.email });
    await expect.poll(() => readText(row)).toContain('The end');

    await row.getByRole('button', { name: 'Hide the review by Mallory Merchant' }).click();
    const dialog = page.getByRole('dialog', {
      name: 'Hide the review by Mallory Merchant?',
      includeHidden: true,
    });
    const reason = dialog.getByLabel('Reason');
    await dialog.getByRole('button', { name: 'Hide the review' }).click();
    await expect.poll(() => readDescription(reason)).toContain('Reason is Required');
    await expect.poll(() => hasFocus(reason)).toBe(true);
    await reason.fill('It advertises another shop.');
    const sent = page.waitForRequest(/\/hidden$/);
    await dialog.getByRole('button', { name: 'Hide the review' }).click();
    expect((await sent).headers().authorization).toMatch(/^Bearer /);
    await page.getByRole('status').getByText('The review by Mallory Merchant is hidden.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    // The focus moves to the row that replaces it.
    await expect.poll(() => hasFocus(page.getByRole('row').nth(1))).toBe(true);

    const author = await stage.open({ as: mallory });
    await openPath(author, '/');
    await expect.poll(() => findCard(author, mallory).count()).toBe(0);
    await openPath(author, '/dashboard/review');
    const hidden = author.getByRole('region', { name: 'Your reviews' });
    await expect.poll(() => readText(hidden)).toContain('Hidden because: It advertises another shop.');
    await openPath(author, '/');

    await page.getByRole('navigation', { name: 'Reviews' }).getByRole('link', { name: 'Hidden' }).click();
    await row.getByText('Reason: It advertises another shop.').waitFor();
    await row.getByRole('button', { name: 'Show again the review by Mallory Merchant' }).click();
    await page.getByRole('status').getByText('The review by Mallory Merchant is visible again.').waitFor();
    await row.waitFor({ state: 'detached' });
    await author.reload();
    await findCard(author, mallory).waitFor();
  });

  test('where reviews need approval, an answer to an edited review is kept and never sent again, and a review shown again waits', async () => {
    const settings = { REVIEW_APPROVAL: 'yes' };
    const approving = await openStage({ demo: false, settings });
    try {
      const { shop } = approving;
      const [ada, vera] = [await shop.admin('Ada Harrison'), await shop.signUp('Vera Verge')];
      const { img } = await shop.addProduct();
      const body = { rating: 2, reviews: 'It rattles.', img };
      const params = { id: (await shop.client(vera).call('addReview', { body })).insertedId };
      await shop.client(ada).call('approveReview', { params, body: { version: 1 } });
      const page = await approving.open({ as: ada, expected: [/status of 409/] });
      await openPath(page, '/dashboard/reviews');
      await page.getByRole('button', { name: 'Answer the review by Vera Verge' }).click();
      const dialog = page.getByRole('dialog', { name: 'Answer the review by Vera Verge' });
      const answer = dialog.getByLabel('Answer');
      await answer.fill('Tighten the screw.');
      await shop.client(vera).call('editReview', { params, body: { reviews: 'It is silent.' } });
      let sent = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/answer')) sent += 1;
      });
      await dialog.getByRole('button', { name: 'Answer in public' }).click();
      await expect.poll(() => readDescription(answer)).toContain('it now waits for approval');
      expect(sent).toBe(1);
      await dialog.getByRole('button', { name: 'Answer in public' }).click();
      await expect.poll(() => hasFocus(answer)).toBe(true);
      expect(await answer.inputValue()).toBe('Tighten the screw.');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(sent).toBe(1);

      await shop.client(ada).call('hideReview', { params, body: { version: 2, reason: 'Rude.' } });
      await openPath(page, '/dashboard/reviews?hidden');
      await page.getByRole('button', { name: 'Show again the review by Vera Verge' }).click();
      await page.getByRole('status').getByText('The review by Vera Verge now waits for approval.').waitFor();
      await page.getByRole('link', { name: 'To approve (1)' }).waitFor();
    } finally {
      await approving.close();
    }
  });

  test('a review that its author edits meanwhile is not hidden unread: the dialog shows the new text, and keeps the reason', async () => {
    const wanda = await stage.shop.signUp('Wanda Waverer');
    const params = { id: await addReview(wanda, 'It is a fraud.') };
    const page = await stage.open({ as: admin, expected: [/status of 409/] });
    await openPath(page, '/dashboard/reviews');
    const row = page.getByRole('row').filter({ hasText: wanda.email });
    await row.getByRole('button', { name: 'Hide the review by Wanda Waverer' }).click();
    const dialog = page.getByRole('dialog', { includeHidden: true });
    const reason = dialog.getByLabel('Reason');
    await reason.fill('It is rude.');
    await stage.shop.client(wanda).call('editReview', { params, body: { reviews: 'It was my mistake.' } });
    await dialog.getByRole('button', { name: 'Hide the review' }).click();
    await dialog.getByText('It was my mistake.').waitFor();
    await expect.poll(() => readDescription(reason)).toContain('This review has changed');
    expect(await reason.inputValue()).toBe('It is rude.');
    await dialog.getByRole('button', { name: 'Hide the review' }).click();
    await row.waitFor({ state: 'detached' });
    const query = { hidden: 'true' as const };
    const [hidden] = await stage.shop.client(wanda).call('listReviews', { query });
    expect(hidden?.hidden?.reason).toBe('It is rude.');
  });

  test('if hiding fails, the dialog stays open with its input', async () => {
    const rob = await stage.shop.signUp('Rob Regulator');
    await addReview(rob, 'Fine.');
    const page = await stage.open({ as: admin, expected: [/status of 503/] });
    await openPath(page, '/dashboard/reviews');
    await page.route('**/hidden', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.getByRole('button', { name: 'Hide the review by Rob Regulator' }).click();
    const dialog = page.getByRole('dialog', { includeHidden: true });
    await dialog.getByLabel('Reason').fill('Why not');
    await dialog.getByRole('button', { name: 'Hide the review' }).click();
    await expect
      .poll(() => readDescription(dialog.getByLabel('Reason')))
      .toContain('The shop sent an unexpected response');
    await expect.poll(() => dialog.getByLabel('Reason').inputValue()).toBe('Why not');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});

test('Add Review says that the quota is used up, and keeps the input', async () => {
  const { db } = stage.shop.database;
  const tom = await stage.shop.signUp();
  const { id } = await db
    .selectFrom('user')
    .select('id')
    .where('email', '=', tom.email)
    .executeTakeFirstOrThrow();
  const ends_at = Date.now() + 5 * 60 * 60 * 1000;
  await db
    .insertInto('rate_limit')
    .values({ name: `review ${id}`, count: 20, ends_at })
    .execute();
  const page = await stage.open({ as: tom, expected: [/status of 429/] });
  await openPath(page, '/dashboard/review');
  await page.locator('input[name=rating][value="4"]').check();
  await page.getByLabel('Comments').fill('One too many.');
  await page.locator('input[type=file]').setInputFiles(await createPhoto());
  await page.getByRole('button', { name: 'Add Review' }).click();
  await page.getByRole('alert').getByText('You can write 20 reviews a day: wait 5 hours').waitFor();
  await expect.poll(() => page.getByLabel('Comments').inputValue()).toBe('One too many.');
});

test('the drafts of a new review and of an edited review are kept apart', async () => {
  const uma = await stage.shop.signUp('Uma Undecided');
  await addReview(uma, 'The old review.');
  const page = await stage.open({ as: uma });
  await openPath(page, '/dashboard/review');
  const comments = page.getByLabel('Comments');
  await comments.fill('The new review.');
  await page.getByRole('link', { name: /^Edit the review of/ }).click();
  await page.getByRole('heading', { name: 'Edit your review', level: 1 }).waitFor();
  await expect.poll(() => comments.inputValue()).toBe('The old review.');
  await expect.poll(() => page.getByText('Your unsaved changes are still here.').count()).toBe(0);
  await comments.fill('The old review, edited.');
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Add Review' }).click();
  await page.getByRole('heading', { name: 'Add Review', level: 1 }).waitFor();
  await expect.poll(() => comments.inputValue()).toBe('The new review.');
  await page.getByText('Your unsaved changes are still here.').waitFor();
  await page.getByRole('link', { name: /^Edit the review of/ }).click();
  await expect.poll(() => comments.inputValue()).toBe('The old review, edited.');
});
