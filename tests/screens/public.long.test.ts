import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { phone } from '../support/browser.ts';
import type { TestUser } from '../support/requests.ts';
import { readText, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage, waitForTab } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test('the home page shows the banner, the four statistics and the first three products', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
  await expect.poll(() => page.locator('main img').first().isVisible()).toBe(true);
  await expect
    .poll(() => page.getByRole('definition').allInnerTexts())
    .toEqual(['40', '544+', '243+', '432+']);
  await expect
    .poll(() => page.getByRole('term').allInnerTexts())
    .toEqual(['countries', 'complete projects', 'happy clients', 'feedbacks']);
  const links = page.getByRole('main').getByRole('link', { name: /^(Order|View) / });
  const first = (await stage.shop.client().call('listProducts', { query: { limit: 3 } })).map(
    ({ name }) => `Order ${name}`,
  );
  await expect.poll(() => links.allTextContents()).toEqual(first);
});

test('a product card shows the image, 100 characters of the description and the price in Taka', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const product = await stage.product();
  const card = page.getByRole('listitem').filter({ hasText: product.name }).first();
  const text = await readText(card);
  expect(text).toContain(`${product.description.slice(0, 100).replace(/[\s.]+$/, '')}…`);
  expect(text).toContain(`${product.price} Taka`);
  await expect
    .poll(() => card.getByRole('presentation').or(card.locator('img')).first().isVisible())
    .toBe(true);
});

test('the home page shows a table of recent orders, marked as a sample, and the brands', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const table = page.getByRole('table', { name: /Recent orders/ });
  await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(3);
  await expect.poll(() => readText(page.getByRole('main'))).toMatch(/sample/i);
  const strip = page.getByRole('region', { name: /Brands/ });
  await expect.poll(() => strip.getByRole('listitem').count()).toBeGreaterThan(3);
});

test('the home page shows twelve reviews, cut at 80 characters, and a link that shows the rest; with Ctrl, in another tab', async () => {
  const { shop } = stage;
  const person = await shop.signUp('Nora Newcomer');
  const { img } = await stage.product();
  for (const number of [1, 2, 3])
    await shop.client(person).call('addReview', {
      body: { rating: 4, reviews: `Review ${number}, ${'written at length, '.repeat(9)}the end.`, img },
    });
  const all = await shop.client().call('listReviews', { query: {} });
  const page = await stage.open();
  await openPath(page, '/');
  const cards = page.getByRole('listitem').filter({ hasText: /Rated \d of 5/ });
  await expect.poll(() => cards.count()).toBe(12);
  const newest = all[0]?.reviews ?? '';
  await expect.poll(() => readText(cards.first())).toContain(`${newest.slice(0, 80).trimEnd()}…`);
  const more = page.getByRole('link', { name: 'Show more reviews' });
  // Without JavaScript it links to the same reviews.
  await expect.poll(() => more.getAttribute('href')).toMatch(/^\/\?reviews=/);
  await more.click({ modifiers: ['ControlOrMeta'] });
  await waitForTab(page, /\?reviews=/);
  await expect.poll(() => cards.count()).toBe(12);
  await more.click();
  await expect.poll(() => cards.count()).toBe(all.length);
  await more.waitFor({ state: 'detached' });
});

test('on a phone, the reviews of the home page are a row, which the arrow keys scroll to its end', async () => {
  const { img } = await stage.product();
  const body = { rating: 4, reviews: 'The thirteenth review.', img };
  await stage.shop.client(await stage.shop.signUp()).call('addReview', { body });
  const page = await stage.open({ viewport: { width: 375, height: 740 }, reducedMotion: 'reduce' });
  await openPath(page, '/');
  const cards = page.getByRole('listitem').filter({ hasText: /Rated \d of 5/ });
  const findCard = async (index: number) => {
    const box = await cards.nth(index).boundingBox();
    if (!box) throw new Error(`There is no card ${index}.`);
    return { ...box, right: box.x + box.width };
  };
  expect((await findCard(11)).y).toBe((await findCard(0)).y);
  expect((await findCard(1)).x).toBeLessThan(375);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await page
    .getByRole('link', { name: /^Read full review/ })
    .first()
    .focus();
  expect((await findCard(11)).x).toBeGreaterThan(375);
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowRight');
      return (await findCard(11)).right;
    })
    .toBeLessThanOrEqual(375);
  await page.getByRole('link', { name: 'Show more reviews' }).click();
  await expect.poll(async () => (await findCard(12)).right).toBeLessThanOrEqual(375);
});

test('without a contact address or a newsletter, their buttons do nothing', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  const calls: string[] = [];
  page.on('request', (request) => calls.push(request.url()));
  const before = await readText(page.getByRole('main'));
  for (const name of [/^Subscribe/, /^Send/]) await page.getByRole('button', { name }).click();
  await expect.poll(() => readText(page.getByRole('main'))).toBe(before);
  expect(new URL(page.url()).pathname).toBe('/');
  expect(calls).toEqual([]);
});

test('Blogs shows five questions with their answers', async () => {
  const page = await stage.open();
  await openPath(page, '/blogs');
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
  const answers = page.getByRole('article');
  await expect.poll(() => answers.count()).toBe(5);
  for (const answer of await answers.all()) {
    await expect.poll(() => readText(answer.getByRole('heading', { level: 2 }))).toMatch(/\?$/);
    await expect.poll(async () => (await readText(answer)).length).toBeGreaterThan(600);
  }
});

test('an unknown page shows the text of the specification, a link home and a Contact us that does nothing', async () => {
  const page = await stage.open({ expected: [/status of 404/] });
  const response = await openPath(page, '/no/such/page');
  expect(response?.status()).toBe(404);
  await page.getByText('Error 404', { exact: true }).waitFor();
  await page
    .getByRole('heading', { name: "Oops! The page you're looking for isn't here.", level: 1 })
    .waitFor();
  await page.getByText('You might have the wrong address, or the page may have moved.').first().waitFor();
  await expect.poll(() => page.locator('main img[alt=""]').first().isVisible()).toBe(true);
  const calls = recordWrites(page);
  await page.getByRole('button', { name: 'Contact us' }).click();
  expect(new URL(page.url()).pathname).toBe('/no/such/page');
  expect(calls).toEqual([]);
  const tools = page.getByRole('main').getByRole('list', { name: 'Tools' });
  await expect.poll(() => tools.getByRole('link').count()).toBe(6);
  await page.getByText('An eight-day dial, stopped at four minutes past four.').waitFor();
  await page.getByText('Back to homepage').click();
  await page.waitForURL(`${stage.shop.origin}/`);
});

test('MyPortfolio shows name, email, education, skills and links to projects', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  await openPath(page, '/');
  await page.getByRole('link', { name: 'MyPortfolio' }).first().click();
  await page.waitForURL('**/myPortfolio');
  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1 }).waitFor();
  for (const part of [/e-?mail/i, /education/i, /skills/i, /projects/i])
    await expect.poll(() => readText(main)).toMatch(part);
  await expect.poll(() => main.getByRole('link', { name: /@/ }).getAttribute('href')).toMatch(/^mailto:/);
  await expect.poll(() => main.locator('a[href^="https://"]').count()).toBeGreaterThan(1);
});

test('the navigation differs for visitors and signed-in users', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const nav = page.getByRole('banner').getByRole('navigation');
  await expect
    .poll(() => nav.getByRole('link').allInnerTexts())
    .toEqual(['Home', 'Blogs', 'Products', '', 'signIn']);
  await nav.getByRole('link', { name: 'signIn' }).click();
  await page.waitForURL('**/login');

  const signedIn = await stage.open({ as: await stage.shop.signIn('customer@example.com', 'clockwork') });
  await openPath(signedIn, '/blogs');
  const userNav = signedIn.getByRole('banner').getByRole('navigation');
  await expect
    .poll(() => userNav.getByRole('listitem').getByRole('link').allInnerTexts())
    .toEqual(['Home', 'Blogs', 'Products', 'MyPortfolio', 'Dashboard']);
  await userNav.getByText('Tom Graham').waitFor();
  await signedIn.evaluate(() => localStorage.getItem('token')).then((token) => expect(token).toBeTruthy());
  await userNav.getByRole('button', { name: 'signOut' }).click();
  await userNav.getByRole('link', { name: 'signIn' }).waitFor();
  await expect.poll(() => signedIn.evaluate(() => localStorage.getItem('token'))).toBeNull();
  await openPath(signedIn, '/products');
  await signedIn.waitForURL('**/login?from=%2Fproducts');
});

test('on a phone the same links are in a menu with the categories, which closes when a link is followed', async () => {
  const page = await stage.open({ ...phone, as: await stage.shop.signUp('Nora Newcomer') });
  await openPath(page, '/');
  const header = page.getByRole('banner');
  await expect.poll(() => header.getByRole('link', { name: 'Blogs' }).isVisible()).toBe(false);
  await header.getByText('Menu', { exact: true }).click();
  await header.getByRole('navigation').getByText('Nora Newcomer').waitFor();
  const links = await header.getByRole('navigation').getByRole('link').allInnerTexts();
  expect(links.slice(0, 5)).toEqual(['Home', 'Blogs', 'Products', 'MyPortfolio', 'Dashboard']);
  const { category = '' } = await stage.product();
  expect(links.slice(5)).toHaveLength(6);
  expect(links.slice(5)).toContain(category);
  await expect.poll(() => header.getByRole('button', { name: 'signOut' }).isVisible()).toBe(true);
  await header.getByRole('link', { name: 'Blogs' }).click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
  await header.getByRole('link', { name: 'Blogs' }).waitFor({ state: 'hidden' });
});

test('Escape, a tap outside and a focus outside close the menu of a phone', async () => {
  const page = await stage.open(phone);
  await openPath(page, '/');
  const summary = page.getByRole('banner').getByText('Menu', { exact: true });
  const link = page.getByRole('banner').getByRole('link', { name: 'Blogs' });
  const isFocused = () => summary.evaluate((element) => element === document.activeElement);
  await summary.click();
  await link.focus();
  await page.keyboard.press('Escape');
  await link.waitFor({ state: 'hidden' });
  expect(await isFocused()).toBe(true);
  await summary.click();
  await link.waitFor();
  await page.touchscreen.tap(20, 500);
  await link.waitFor({ state: 'hidden' });
  await summary.click();
  await link.waitFor();
  await page.getByRole('main').getByRole('link').first().focus();
  await link.waitFor({ state: 'hidden' });
});

test('the header of a phone leads to the search on every page', async () => {
  const person = await stage.shop.signUp();
  for (const as of [undefined, person]) {
    const page = await stage.open(as ? { ...phone, as } : phone);
    await openPath(page, '/blogs');
    await page.getByRole('banner').getByRole('link', { name: 'Search the catalogue' }).click();
    if (!as) {
      await page.waitForURL('**/login?from=*');
      await page.getByLabel('Email').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.keyboard.press('Enter');
    }
    await page.waitForURL('**/products#q');
    const readFocus = () => page.evaluate(() => document.activeElement?.id);
    await expect.poll(readFocus).toBe('q');
    // The mark of a pressed link goes with its navigation.
    await expect.poll(() => page.locator('[data-pending]').count()).toBe(0);
    const { name } = await stage.product();
    const card = page.getByRole('main').getByRole('listitem').filter({ hasText: name }).first();
    await card.getByRole('link', { name }).click();
    await page.waitForURL('**/purchase/*');
    await page.goBack();
    await page.waitForURL('**/products#q');
    await card.waitFor();
    expect(await readFocus()).not.toBe('q');
  }
});

test('after a category is chosen in the menu or the footer, the focus is on the heading', async () => {
  const page = await stage.open({ ...phone, as: await stage.shop.signUp() });
  await openPath(page, '/products');
  const { category = '' } = await stage.product();
  for (const part of ['banner', 'contentinfo'] as const) {
    if (part === 'banner') await page.getByRole('banner').locator('summary').click();
    await page.getByRole(part).getByRole('link', { name: category }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  }
});

test('forced colours show a line only under the current page', async () => {
  const page = await stage.open({ forcedColors: 'active' });
  await openPath(page, '/blogs');
  const links = page.getByRole('banner').getByRole('navigation').getByRole('listitem').getByRole('link');
  await expect
    .poll(() => links.evaluateAll((all) => all.map((link) => getComputedStyle(link).borderBottomWidth)))
    .toEqual(['0px', '2px', '0px']);
});

test('forced colours show a line only beside the current page of the dashboard and the current category', async () => {
  const page = await stage.open({ as: await stage.shop.signUp(), forcedColors: 'active' });
  for (const path of ['/dashboard/myOrder', '/products']) {
    await openPath(page, path);
    const links = page.getByRole('main').getByRole('navigation').getByRole('link');
    const marks = await links.evaluateAll((all) =>
      all
        .filter((link) => link.checkVisibility())
        .map((link) => [link.ariaCurrent === 'page', getComputedStyle(link).borderLeftWidth === '2px']),
    );
    expect(marks.length).toBeGreaterThan(1);
    expect(marks.filter(([isCurrent]) => isCurrent)).toHaveLength(1);
    for (const [isCurrent, hasLine] of marks) expect(hasLine, path).toBe(isCurrent);
  }
});

test('the footer, at the end of the window, names a hand-tools shop, with a copyright of 2022, the categories and the account', async () => {
  const page = await stage.open({ viewport: { width: 1280, height: 2000 } });
  await openPath(page, '/login');
  const footer = page.getByRole('contentinfo');
  await expect.poll(() => readText(footer)).toMatch(/hand-?tools shop[\s\S]*2022/i);
  const box = await footer.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(2000);
  const { category = '' } = await stage.product();
  await footer.getByRole('link', { name: category }).click();
  await page.waitForURL(
    `**/login?from=${encodeURIComponent(`/products?${new URLSearchParams({ category })}`)}`,
  );
  await footer.getByRole('link', { name: 'Your orders' }).click();
  await page.waitForURL('**/login?from=%2Fdashboard%2FmyOrder');
});

test('F8 moves the focus to the messages, which then stay, and Escape moves it back', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  const { _id } = await stage.product();
  await openPath(page, `/purchase/${_id}`);
  await page.getByRole('button', { name: 'Add to basket' }).first().click();
  const link = page.getByRole('banner').getByRole('link', { name: 'Home' });
  const messages = page.getByRole('status', { name: 'Messages, F8' });
  const toast = messages.locator('p').first();
  await toast.waitFor();
  await page.mouse.move(0, 0);
  await link.focus();
  await page.keyboard.press('F8');
  expect(await messages.evaluate((element) => element === document.activeElement)).toBe(true);
  await expect.poll(() => toast.evaluate((element) => element.getAnimations()[0]?.playState)).toBe('paused');
  await page.keyboard.press('Escape');
  await toast.waitFor({ state: 'detached' });
  expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('public pages have a title, a description and a canonical URL', async () => {
  for (const path of ['/', '/blogs', '/login', '/signup']) {
    const html = await (await stage.shop.fetch(new Request(stage.shop.origin + path))).text();
    expect(html).toMatch(/<title>[^<]{10,}<\/title>/);
    expect(html).toMatch(/<meta name="description" content="[^"]{20,}"/);
    expect(html).toContain(`<link rel="canonical" href="${stage.shop.origin}${path}">`);
  }
});

test('a click anywhere on a product card opens the product', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const { _id, name } = await stage.product();
  const card = page.getByRole('listitem').filter({ hasText: name }).first();
  await card.click({ position: { x: 30, y: 30 } });
  await page.waitForURL(`**/login?from=%2Fpurchase%2F${_id}`);
});

/** The key of the current history entry, which changes with each navigation. */
const readEntry = (page: Page) => page.evaluate(() => String(history.state?.key));

describe('a link', () => {
  const findLink = (page: Page, name: string) =>
    page.getByRole('banner').getByRole('link', { name, exact: true });

  /** Opens a page and sets a variable that survives only as long as its document. */
  async function openMarked(path: string, as?: TestUser): Promise<Page> {
    const page = await stage.open(as ? { as } : {});
    await openPath(page, path);
    // A font that arrives between the press and the release of a mouse button would move the link.
    await page.evaluate(() => document.fonts.ready.then(() => Object.assign(window, { isMarked: true })));
    return page;
  }
  const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in window);

  test('navigates within the document', async () => {
    const page = await openMarked('/');
    const length = await page.evaluate(() => history.length);
    await findLink(page, 'Blogs').click();
    await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/blogs');
    expect(await isMarked(page)).toBe(true);
    expect(await page.evaluate(() => history.length)).toBe(length + 1);
  });

  test.each([
    ['Ctrl+click', { modifiers: ['ControlOrMeta'] }],
    ['a middle click', { button: 'middle' }],
  ] satisfies [string, Parameters<Locator['click']>[0]][])(
    '%s opens it in another tab',
    async (_, options) => {
      const page = await openMarked('/');
      await findLink(page, 'Blogs').click(options);
      await waitForTab(page, /\/blogs$/);
      expect(new URL(page.url()).pathname).toBe('/');
      expect(await isMarked(page)).toBe(true);
    },
  );

  test('to the current URL replaces the history entry', async () => {
    const page = await openMarked('/');
    await findLink(page, 'Blogs').click();
    await page.waitForURL('**/blogs');
    const [entry, length] = [await readEntry(page), await page.evaluate(() => history.length)];
    await findLink(page, 'Blogs').click();
    await expect.poll(() => readEntry(page)).not.toBe(entry);
    expect(await page.evaluate(() => history.length)).toBe(length);
    expect(await isMarked(page)).toBe(true);
  });

  test('to ? keeps the path and removes the query', async () => {
    const page = await openMarked('/products?q=zzz&inStock=true', await stage.shop.signUp());
    const link = page.getByRole('link', { name: 'Clear all' });
    expect(await link.getAttribute('href')).toBe('/products');
    await link.click();
    await page.waitForURL((url) => url.href === `${stage.shop.origin}/products`);
    expect(await isMarked(page)).toBe(true);
  });
});
