import { afterAll, beforeAll, expect, test } from 'vitest';
import { phone } from '../support/browser.ts';
import { readText, recordWrites } from './said.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

test('home: the banner, the four statistics, the first three products', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  expect(await page.locator('main img').first().isVisible()).toBe(true);
  expect(await page.getByRole('definition').allInnerTexts()).toEqual(['40', '544+', '243+', '432+']);
  expect(await page.getByRole('term').allInnerTexts()).toEqual([
    'countries',
    'complete projects',
    'happy clients',
    'feedbacks',
  ]);
  const links = page.getByRole('main').getByRole('link', { name: /^(Purchase|View) / });
  const first = (await stage.shop.client().call('listProducts', { query: { limit: 3 } })).map(
    ({ name }) => `Purchase ${name}`,
  );
  expect(await links.allTextContents()).toEqual(first);
});

test('a card shows the picture, 100 characters of the description, the price in Taka', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const product = await stage.product();
  const card = page.getByRole('listitem').filter({ hasText: product.name }).first();
  const text = await readText(card);
  expect(text).toContain(`${product.description.slice(0, 100).replace(/[\s.]+$/, '')}…`);
  expect(text).toContain(`${product.price} Taka`);
  expect(await card.getByRole('presentation').or(card.locator('img')).first().isVisible()).toBe(true);
});

test('home: a table of recent orders that says it is a sample, and the strip of brands', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const table = page.getByRole('table', { name: /Recent orders/ });
  expect(await table.getByRole('row').count()).toBeGreaterThan(3);
  expect(await readText(page.getByRole('main'))).toMatch(/sample/i);
  const strip = page.getByRole('region', { name: /Brands/ });
  expect(await strip.getByRole('listitem').count()).toBeGreaterThan(3);
});

test('home: every review, its text cut at 80 characters; those behind the first twelve by a button', async () => {
  const { shop } = stage;
  const person = await shop.signUp('Nora Newcomer');
  const { img } = await stage.product();
  for (const at of [1, 2, 3])
    await shop.client(person).call('addReview', {
      body: { rating: 4, reviews: `Review ${at}, ${'written at length, '.repeat(9)}the end.`, img },
    });
  const all = await shop.client().call('listReviews', { query: {} });
  const page = await stage.open();
  await openPath(page, '/');
  const cards = page.getByRole('listitem').filter({ hasText: /Rated \d of 5/ });
  expect(await cards.count()).toBe(12);
  const newest = all[0]?.reviews ?? '';
  expect(await readText(cards.first())).toContain(`${newest.slice(0, 80).trimEnd()}…`);
  const more = page.getByRole('link', { name: 'Show more reviews' });
  // Without script it leads to the same reviews.
  expect(await more.getAttribute('href')).toMatch(/^\/\?reviews=/);
  await more.click();
  await expect.poll(() => cards.count()).toBe(all.length);
  await more.waitFor({ state: 'detached' });
});

test('home: the buttons of the newsletter and contact boxes do nothing', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  await page.waitForLoadState('networkidle');
  const calls: string[] = [];
  page.on('request', (request) => calls.push(request.url()));
  const before = await readText(page.getByRole('main'));
  for (const name of [/^Subscribe/, /^Send/]) await page.getByRole('button', { name }).click();
  expect(await readText(page.getByRole('main'))).toBe(before);
  expect(new URL(page.url()).pathname).toBe('/');
  expect(calls).toEqual([]);
});

test('blogs: five questions with their answers', async () => {
  const page = await stage.open();
  await openPath(page, '/blogs');
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
  const answers = page.getByRole('article');
  expect(await answers.count()).toBe(5);
  for (const answer of await answers.all()) {
    expect(await readText(answer.getByRole('heading', { level: 2 }))).toMatch(/\?$/);
    expect((await readText(answer)).length).toBeGreaterThan(600);
  }
});

test('not found: the words of the specification, a way home, and a Contact us that does nothing', async () => {
  const page = await stage.open({ expected: [/status of 404/] });
  const answer = await openPath(page, '/no/such/page');
  expect(answer?.status()).toBe(404);
  await page.getByText('Error 404', { exact: true }).waitFor();
  await page
    .getByRole('heading', { name: "Oops! The page you're looking for isn't here.", level: 1 })
    .waitFor();
  await page.getByText('You might have the wrong address, or the page may have moved.').first().waitFor();
  expect(await page.locator('main img[alt=""]').first().isVisible()).toBe(true);
  const calls = recordWrites(page);
  await page.getByRole('button', { name: 'Contact us' }).click();
  expect(new URL(page.url()).pathname).toBe('/no/such/page');
  expect(calls).toEqual([]);
  await page.getByText('Back to homepage').click();
  await page.waitForURL(`${stage.shop.origin}/`);
});

test('myPortfolio: name, e-mail, education, skills and links to projects', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  await openPath(page, '/');
  await page.getByRole('link', { name: 'MyPortfolio' }).first().click();
  await page.waitForURL('**/myPortfolio');
  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1 }).waitFor();
  for (const part of [/e-?mail/i, /education/i, /skills/i, /projects/i])
    expect(await readText(main)).toMatch(part);
  expect(await main.getByRole('link', { name: /@/ }).getAttribute('href')).toMatch(/^mailto:/);
  expect(await main.locator('a[href^="https://"]').count()).toBeGreaterThan(1);
});

test('the navigation of a visitor, and of somebody who has signed in', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const nav = page.getByRole('banner').getByRole('navigation');
  expect(await nav.getByRole('link').allInnerTexts()).toEqual(['Home', 'Blogs', 'Products', 'signIn']);
  await nav.getByRole('link', { name: 'signIn' }).click();
  await page.waitForURL('**/login');

  const inside = await stage.open({ as: await stage.shop.signIn('customer@example.com', 'clockwork') });
  await openPath(inside, '/blogs');
  const own = inside.getByRole('banner').getByRole('navigation');
  expect(await own.getByRole('link').allInnerTexts()).toEqual([
    'Home',
    'Blogs',
    'Products',
    'MyPortfolio',
    'Dashboard',
  ]);
  await own.getByText('Tom Graham').waitFor();
  await inside.evaluate(() => localStorage.getItem('token')).then((token) => expect(token).toBeTruthy());
  await own.getByRole('button', { name: 'signOut' }).click();
  await own.getByRole('link', { name: 'signIn' }).waitFor();
  expect(await inside.evaluate(() => localStorage.getItem('token'))).toBeNull();
  await openPath(inside, '/products');
  await inside.waitForURL('**/login?from=%2Fproducts');
});

test('on a phone the same links stand in a menu that opens, and closes when one is followed', async () => {
  const page = await stage.open({ ...phone, as: await stage.shop.signUp('Nora Newcomer') });
  await openPath(page, '/');
  const header = page.getByRole('banner');
  expect(await header.getByRole('link', { name: 'Blogs' }).isVisible()).toBe(false);
  await header.getByText('Menu', { exact: true }).click();
  await header.getByRole('navigation').getByText('Nora Newcomer').waitFor();
  const links = await header.getByRole('navigation').getByRole('link').allInnerTexts();
  expect(links).toEqual(['Home', 'Blogs', 'Products', 'MyPortfolio', 'Dashboard']);
  expect(await header.getByRole('button', { name: 'signOut' }).isVisible()).toBe(true);
  await header.getByRole('link', { name: 'Blogs' }).click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
  await header.getByRole('link', { name: 'Blogs' }).waitFor({ state: 'hidden' });
});

test('the footer names a hand-tools shop, with a copyright of 2022', async () => {
  const page = await stage.open();
  await openPath(page, '/blogs');
  expect(await readText(page.getByRole('contentinfo'))).toMatch(/hand-?tools shop[\s\S]*2022/i);
});

test('what a search engine and a shared link read: title, description, canonical address, pictures', async () => {
  for (const path of ['/', '/blogs', '/login', '/signup']) {
    const html = await (await stage.shop.fetch(new Request(stage.shop.origin + path))).text();
    expect(html).toMatch(/<title>[^<]{10,}<\/title>/);
    expect(html).toMatch(/<meta name="description" content="[^"]{20,}"/);
    expect(html).toContain(`<link rel="canonical" href="${stage.shop.origin}${path}">`);
  }
});

test('a card leads to its tool wherever it is pressed', async () => {
  const page = await stage.open();
  await openPath(page, '/');
  const { _id, name } = await stage.product();
  const card = page.getByRole('listitem').filter({ hasText: name }).first();
  await card.click({ position: { x: 30, y: 30 } });
  await page.waitForURL(`**/login?from=%2Fpurchase%2F${_id}`);
});
