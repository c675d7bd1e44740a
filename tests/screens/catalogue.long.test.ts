import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { phone } from '../support/browser.ts';
import type { TestUser } from '../support/requests.ts';
import { holdRequests } from './held-requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let tom: TestUser;
const winder = 'Mainspring winder';
const hammer = 'Riveting hammer, brass head';
const pliers = 'Parallel pliers, smooth jaws';
beforeAll(async () => {
  stage = await openStage();
  tom = await stage.shop.signUp('Tom Graham');
});
afterAll(() => stage?.close());

async function open(search = '', expected: RegExp[] = []): Promise<Page> {
  const page = await stage.open({ as: tom, expected });
  await openPath(page, `/products${search}`);
  return page;
}

const box = (page: Page) => page.getByRole('main').getByLabel('Search the catalogue');
const listNames = (page: Page) =>
  page.getByRole('region', { name: 'Results' }).getByRole('heading', { level: 2 }).allTextContents();
const expectNames = (page: Page, names: string[]) => expect.poll(() => listNames(page)).toEqual(names);
const searchOf = (page: Page) => new URL(page.url()).search;
const isFocused = (page: Page) => box(page).evaluate((field) => field === document.activeElement);
const count = (page: Page) => page.getByRole('status').filter({ hasText: /tools?$|Searching/ });

describe('search as you type', () => {
  test('highlights the matches, announces their number, keeps the focus in the box, and adds one history entry', async () => {
    const page = await open();
    await expect.poll(() => count(page).textContent()).toBe('19 tools');
    await box(page).pressSequentially('rivet');
    await expectNames(page, [hammer, pliers]);
    await expect.poll(() => count(page).textContent()).toBe('2 tools');
    await box(page).pressSequentially('ing ham');
    await expectNames(page, [hammer]);
    await expect.poll(() => count(page).textContent()).toBe('1 tool');
    await expect.poll(async () => [searchOf(page), await isFocused(page)]).toEqual(['?q=riveting+ham', true]);
    await expect
      .poll(() => page.getByRole('heading', { name: hammer }).locator('mark').allTextContents())
      .toEqual(['Riveting', 'ham']);
    await expect.poll(() => page.title()).toMatch(/^“riveting ham” in Products/);
    await page.goBack();
    await expect.poll(async () => (await listNames(page)).length).toBe(19);
    await expect.poll(async () => [searchOf(page), await box(page).inputValue()]).toEqual(['', '']);
    await page.goForward();
    await expectNames(page, [hammer]);
    await expect.poll(() => box(page).inputValue()).toBe('riveting ham');
  });

  test('highlights the words that it used in place of misspelled ones', async () => {
    const page = await open();
    await box(page).fill('mainsprng windr');
    const marks = page.getByRole('heading', { name: winder }).locator('mark');
    await expect.poll(() => marks.allTextContents()).toEqual(['Mainspring', 'winder']);
    await expect.poll(async () => (await listNames(page))[0]).toBe(winder);
  });

  test('cancels a request that a newer search replaces', async () => {
    const page = await open();
    const release = await holdRequests(page, '**/api/products?q=main&*');
    const cancelled = page.waitForEvent('requestfailed', (request) => /q=main&/.test(request.url()));
    const started = page.waitForRequest(/products\?q=main&/);
    await box(page).fill('main');
    await started;
    await box(page).fill('pegwood');
    await expectNames(page, ['Pegwood stick']);
    await cancelled;
    release();
    await expect.poll(() => listNames(page)).toEqual(['Pegwood stick']);
  });

  test('a slow connection shows that the page is searching, and loses nothing typed meanwhile', async () => {
    const page = await open();
    const release = await holdRequests(page, '**/api/products*');
    await box(page).fill('pegw');
    await page.getByText('Searching…').waitFor();
    await expect.poll(() => listNames(page)).toHaveLength(19);
    await box(page).pressSequentially('ood');
    release();
    await expectNames(page, ['Pegwood stick']);
    await expect
      .poll(async () => [await box(page).inputValue(), await isFocused(page)])
      .toEqual(['pegwood', true]);
  });

  test('a broken connection keeps the page and what was typed, and searches again once it works', async () => {
    const page = await open('', [/ERR_INTERNET_DISCONNECTED/]);
    await page.context().setOffline(true);
    await box(page).fill('pegwood');
    await page.getByRole('alert').getByText('The shop cannot be reached').waitFor();
    await expect
      .poll(async () => [await box(page).inputValue(), (await listNames(page)).length])
      .toEqual(['pegwood', 19]);
    await page.getByRole('button', { name: 'Search again' }).click();
    await page.context().setOffline(false);
    await expectNames(page, ['Pegwood stick']);
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await expect.poll(() => box(page).inputValue()).toBe('pegwood');
  });
});

describe('filters and sorting', () => {
  test('are in the URL, combine, and are removed one by one; the focus moves to the number of tools', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Mainsprings and winding 4 tools' }).click();
    await expect.poll(() => count(page).textContent()).toBe('4 tools');
    await page.getByLabel('In stock').check();
    await expect.poll(() => count(page).textContent()).toBe('3 tools');
    await page.getByLabel('Lowest price').fill('50');
    await expect.poll(() => count(page).textContent()).toBe('2 tools');
    await page.getByLabel('Sort').selectOption({ label: 'Price, lowest first' });
    await expectNames(page, ['Let-down keys, set of seven', winder]);
    expect(searchOf(page)).toBe('?category=Mainsprings+and+winding&inStock=true&minPrice=50&sort=price');
    await expect
      .poll(() =>
        page.getByRole('link', { name: 'Mainsprings and winding 2 tools' }).getAttribute('aria-current'),
      )
      .toBe('page');
    await page.getByRole('link', { name: 'Remove In stock' }).click();
    await expect.poll(() => searchOf(page)).toBe('?category=Mainsprings+and+winding&minPrice=50&sort=price');
    await expect.poll(() => page.getByLabel('In stock').isChecked()).toBe(false);
    await expect.poll(() => count(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByRole('link', { name: 'Remove From 50 Taka' }).click();
    await expect.poll(() => count(page).textContent()).toBe('4 tools');
    await expect.poll(() => page.getByLabel('Lowest price').inputValue()).toBe('');
    await page.goBack();
    await expect.poll(() => page.getByLabel('Lowest price').inputValue()).toBe('50');
    await page.getByRole('link', { name: 'Clear all' }).click();
    await expect.poll(() => count(page).textContent()).toBe('19 tools');
    expect(searchOf(page)).toBe('');
  });

  test('after a click beside the filters, typing keeps the focus in the box', async () => {
    const page = await open('?inStock=true');
    await page.getByRole('list', { name: 'Active filters' }).click({ position: { x: 300, y: 10 } });
    await box(page).pressSequentially('rivet');
    await expectNames(page, [hammer, pliers]);
    await expect.poll(() => isFocused(page)).toBe(true);
  });

  test('a price that is not an amount is not sent; prices in the wrong order are swapped', async () => {
    const page = await open('?minPrice=abc&maxPrice=1e3');
    await expect.poll(() => count(page).textContent()).toBe('19 tools');
    await page.getByLabel('Lowest price').fill('12,50 dollars');
    await page.getByLabel('In stock').check();
    await expect.poll(() => searchOf(page)).toBe('?inStock=true');
    await openPath(page, '/products?minPrice=60&maxPrice=50,5');
    await expect
      .poll(async () => [
        await page.getByLabel('Lowest price').inputValue(),
        await page.getByLabel('Highest price').inputValue(),
      ])
      .toEqual(['50.5', '60']);
  });

  test('work without scripts, and leave no empty fields in the URL', async () => {
    const page = await stage.open({ as: tom, javaScriptEnabled: false, expected: [/static\/js\/.*: csp$/] });
    await page.goto('/products?category=Screws%2C+hands+and+pins');
    await box(page).fill('rivet');
    await page.getByLabel('In stock').check();
    await page.getByLabel('Sort').selectOption('price');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect.poll(() => listNames(page)).toEqual([hammer]);
    expect(searchOf(page)).toBe('?q=rivet&category=Screws%2C+hands+and+pins&inStock=true&sort=price');
    await page.getByRole('link', { name: 'Remove Screws, hands and pins' }).click();
    await expect.poll(() => listNames(page)).toEqual([hammer, pliers]);
    await page.getByRole('link', { name: 'Clear all' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect.poll(async () => [searchOf(page), (await listNames(page)).length]).toEqual(['', 19]);
  });
});

test('the next page keeps the search, and says how many tools there are in all', async () => {
  const other = await openStage({ demo: false });
  try {
    const { img } = await other.shop.addProduct({ name: 'Gauge' });
    const admin = other.shop.client(await other.shop.admin('Ada Harrison'));
    const gauge = { price: 9, o_quantity: 1, a_quantity: 5, description: 'Measures.', img };
    for (let index = 2; index <= 62; index++)
      await admin.call('addProduct', {
        body: { ...gauge, name: `Gauge ${index}`, email: 'ada@example.com' },
      });
    const page = await other.open({ as: await other.shop.signUp() });
    await openPath(page, '/products?q=gauge&sort=price');
    await expect.poll(() => listNames(page)).toHaveLength(60);
    await page.getByRole('link', { name: 'More products' }).click();
    await expect.poll(async () => (await listNames(page)).length).toBe(2);
    expect(searchOf(page)).toMatch(/^\?q=gauge&sort=price&after=./);
    await expect.poll(() => count(page).textContent()).toBe('62 tools');
    const after = new URLSearchParams(searchOf(page)).get('after');
    await openPath(page, `/products?q=gauge+9&after=${after}`);
    await expect
      .poll(async () => [searchOf(page), await listNames(page)])
      .toEqual(['?q=gauge+9', ['Gauge 9']]);
    // Close the page first: the pointer is over a card, whose page is being loaded in advance.
    await page.close();
  } finally {
    await other.close();
  }
});

describe('if no tool has all words', () => {
  const oilers = 'Oilers on a stand, set of four';
  const title = 'No exact match for “oil holder”. The closest tools:';
  const similar = (page: Page, level: number) =>
    page.getByRole('region', { name: 'Results' }).getByRole('heading', { level }).allTextContents();

  test('the page lists the closest under a heading, announces their number, and highlights the words in any form', async () => {
    const page = await open();
    await box(page).pressSequentially('oil holder');
    await expect.poll(() => similar(page, 2)).toEqual([title]);
    const names = await similar(page, 3);
    expect(names[0]).toBe(oilers);
    await expect.poll(() => count(page).textContent()).toBe(`No exact match, ${names.length} similar tools`);
    const marks = page.getByRole('listitem').filter({ hasText: oilers }).locator('mark');
    await expect.poll(() => marks.allTextContents()).toContain('Oil');
    await box(page).fill('oilers stand');
    await expectNames(page, [oilers]);
    await expect.poll(() => count(page).textContent()).toBe('1 tool');
  });

  test('a long search does not widen the page of a small phone', async () => {
    const page = await stage.open({ as: tom, viewport: { width: 320, height: 640 } });
    await openPath(
      page,
      `/products?q=${'thing to hold the clock movement while I work on it'.replaceAll(' ', '+')}`,
    );
    await expect.poll(async () => (await similar(page, 3))[0]).toBe('Adjustable movement stand');
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });

  test('the count of a category is the number of tools in its list', async () => {
    const page = await open('?q=oil+holder');
    const link = page.getByRole('link', { name: /^Oiling and cleaning \d tools?$/ });
    const counted = (await link.textContent())?.match(/\d/)?.[0];
    await link.click();
    await expect.poll(() => searchOf(page)).toBe('?q=oil+holder&category=Oiling+and+cleaning');
    await expect.poll(async () => String((await similar(page, 3)).length)).toBe(counted);
  });

  test('works without scripts', async () => {
    const page = await stage.open({ as: tom, javaScriptEnabled: false, expected: [/static\/js\/.*: csp$/] });
    await page.goto('/products');
    await box(page).fill('oil holder');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: title }).waitFor();
    await expect.poll(async () => (await similar(page, 3))[0]).toBe(oilers);
  });
});

describe('if nothing is found', () => {
  test('the page shows the search text, and the categories of the whole catalogue with their counts', async () => {
    const page = await open('?q=xyzzy&inStock=true');
    await page.getByRole('heading', { name: 'Nothing found for “xyzzy”' }).waitFor();
    await expect.poll(() => count(page).textContent()).toBe('No tools');
    await page.getByRole('link', { name: 'Search for “xyzzy” without the filters' }).click();
    await expect.poll(() => searchOf(page)).toBe('?q=xyzzy');
    await page.getByRole('main').getByRole('link', { name: 'Oiling and cleaning' }).click();
    await expectNames(page, ['Oilers on a stand, set of four', 'Pegwood stick']);
    await expect
      .poll(async () => [searchOf(page), await box(page).inputValue()])
      .toEqual(['?category=Oiling+and+cleaning', '']);
  });

  test('the closest words are links', async () => {
    const page = await open('?q=twezrs+xqzzk');
    await page.getByRole('heading', { name: 'Nothing found for “twezrs xqzzk”' }).waitFor();
    await page.getByRole('link', { name: 'tweezers', exact: true }).click();
    await expect.poll(async () => (await listNames(page))[0]).toBe('Tweezers, strong points');
    await expect.poll(() => box(page).inputValue()).toBe('tweezers');
  });

  test('punctuation finds nothing', async () => {
    const page = await open('?q=%25');
    await page.getByRole('heading', { name: 'Nothing found for “%”' }).waitFor();
    await expect.poll(() => count(page).textContent()).toBe('No tools');
  });

  test('a search text is shown as text', async () => {
    const q = '<img src=x onerror=qqqq(1)>';
    const page = await open(`?q=${encodeURIComponent(q)}`);
    await page.getByRole('heading', { name: `Nothing found for “${q}”` }).waitFor();
  });
});

describe('the search in the header', () => {
  test('leads from any page to the results; / moves the focus to the box', async () => {
    const page = await stage.open({ as: tom, viewport: { width: 1280, height: 800 } });
    await openPath(page, '/blogs');
    await page.keyboard.press('/');
    await page.keyboard.type('pegwood');
    await page.keyboard.press('Enter');
    await expectNames(page, ['Pegwood stick']);
    await expect
      .poll(async () => [searchOf(page), await box(page).inputValue()])
      .toEqual(['?q=pegwood', 'pegwood']);
    await expect.poll(() => page.getByRole('banner').getByRole('combobox').count()).toBe(0);
    await page.keyboard.press('/');
    await expect.poll(() => isFocused(page)).toBe(true);
    await page.keyboard.type('/');
    await expect.poll(() => box(page).inputValue()).toBe('pegwood/');
    await openPath(page, '/dashboard');
    await page.getByLabel('Enable single-key shortcuts in this browser').uncheck();
    await openPath(page, '/products');
    await page.keyboard.press('/');
    await expect.poll(() => isFocused(page)).toBe(false);
  });

  test('is a link to the search box of the catalogue where the header has no room for a box', async () => {
    const page = await stage.open({ as: tom, viewport: { width: 900, height: 700 } });
    await openPath(page, '/blogs');
    await page.getByRole('banner').getByRole('link', { name: 'Search the catalogue' }).click();
    await page.waitForURL('**/products#q');
    await expect.poll(() => isFocused(page)).toBe(true);
  });

  test('works without scripts', async () => {
    const page = await stage.open({ as: tom, javaScriptEnabled: false, expected: [/static\/js\/.*: csp$/] });
    await page.goto('/blogs');
    await page.getByRole('banner').getByRole('searchbox').first().fill('pegwood');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/products?q=pegwood');
    await expect.poll(() => listNames(page)).toEqual(['Pegwood stick']);
  });
});

test('with the open catalogue, visitors reach the search from every page, and the home page stays within its limits', async () => {
  const open = await openStage({ settings: { OPEN_CATALOGUE: 'yes' } });
  try {
    const page = await open.open();
    const response = await openPath(page, '/');
    await page.getByRole('banner').getByRole('link', { name: 'Search' }).click();
    await page.waitForURL('**/products#q');
    await expect.poll(() => isFocused(page)).toBe(true);
    await page.keyboard.type('pegwood');
    await expectNames(page, ['Pegwood stick']);
    // Visitors have no page on which to turn the shortcut off.
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('/');
    await expect.poll(() => isFocused(page)).toBe(false);
    const compressed = brotliCompressSync((await response?.body()) ?? '');
    expect(compressed.length).toBeLessThanOrEqual(14_600);
  } finally {
    await open.close();
  }
});

test.each([true, false])(
  'on a phone, the filters close once they are applied, so that the results are in view (scripts: %s)',
  async (javaScriptEnabled) => {
    const expected = javaScriptEnabled ? [] : [/static\/js\/.*: csp$/];
    const page = await stage.open({ as: tom, ...phone, javaScriptEnabled, expected });
    await (javaScriptEnabled ? openPath(page, '/products') : page.goto('/products'));
    const filters = page.getByText(/^Filters( \(\d\))?$/);
    const panel = page.getByLabel('Highest price');
    await filters.click();
    await panel.fill('20');
    await page.getByRole('button', { name: 'Show tools' }).click();
    await page.getByText('Filters (1)').waitFor();
    await panel.waitFor({ state: 'hidden' });
    // The focus moves to the summary of the panel.
    if (javaScriptEnabled)
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Filters (1)');
    await filters.click();
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Oiling and cleaning/ })
      .click();
    await page.getByText('Filters (2)').waitFor();
    await panel.waitFor({ state: 'hidden' });
    await expect.poll(async () => (await listNames(page)).length).toBeGreaterThan(0);
  },
);

describe('suggestions', () => {
  const listScripts = (page: Page) => {
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (/\/suggestions-[^/]*\.js$/.test(request.url())) scripts.push(request.url());
    });
    return scripts;
  };
  const options = (page: Page) => page.getByRole('listbox', { name: 'Suggested tools' }).getByRole('option');

  test('on a phone, the box lists the first tools with pictures; the arrow keys choose one, Enter opens it', async () => {
    const page = await stage.open({ as: tom, ...phone });
    const scripts = listScripts(page);
    await openPath(page, '/products');
    const field = page.getByRole('main').getByRole('combobox', { name: 'Search the catalogue' });
    const readState = () =>
      field.evaluate((element) => [
        element.getAttribute('aria-expanded'),
        document.getElementById(element.getAttribute('aria-controls') ?? '')?.role,
        document.getElementById(element.getAttribute('aria-activedescendant') ?? '')?.ariaSelected,
        element === document.activeElement,
      ]);
    expect(scripts).toEqual([]);
    await field.pressSequentially('rivet');
    await expect
      .poll(() => options(page).allTextContents())
      .toEqual([`${hammer}27.80 Taka`, `${pliers}38.25 Taka`]);
    expect(scripts).toHaveLength(1);
    await expect.poll(() => options(page).locator('img').count()).toBe(2);
    await page.getByText('2 suggestions, choose with the arrow keys').waitFor();
    expect(await readState()).toEqual(['true', 'listbox', undefined, true]);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options(page).first().getAttribute('aria-selected')).toBe('true');
    expect(await readState()).toEqual(['true', 'listbox', 'true', true]);
    await page.keyboard.press('ArrowUp');
    await expect.poll(readState).toEqual(['true', 'listbox', undefined, true]);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => options(page).last().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Escape');
    await expect.poll(readState).toEqual(['false', undefined, undefined, true]);
    expect(await field.inputValue()).toBe('rivet');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options(page).first().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: hammer }).waitFor();
  });

  test('the box in the header suggests tools on every page, without the results of an older text', async () => {
    const page = await stage.open({ as: tom, viewport: { width: 1280, height: 800 } });
    const scripts = listScripts(page);
    await openPath(page, '/blogs');
    const field = page.getByRole('banner').getByRole('combobox', { name: 'Search the catalogue' });
    const release = await holdRequests(page, '**/api/products?q=main&*');
    const started = page.waitForRequest(/products\?q=main&partial=true&limit=5$/);
    const cancelled = page.waitForEvent('requestfailed', (request) => /q=main&/.test(request.url()));
    expect(scripts).toEqual([]);
    await field.fill('main');
    await started;
    expect(scripts).toHaveLength(1);
    await field.fill('pegwood');
    await cancelled;
    release();
    await expect
      .poll(() => options(page).allTextContents())
      .toEqual([expect.stringMatching(/^Pegwood stick/)]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Pegwood stick' }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await field.getAttribute('aria-expanded')).toBe('false');
    // The tools of the earlier text are not offered for the empty box.
    await field.press('ArrowDown');
    expect(await options(page).count()).toBe(0);
  });

  test('a tap opens a tool, and Enter without a choice shows the results', async () => {
    const page = await stage.open({ as: tom, ...phone });
    await openPath(page, '/products');
    const field = page.getByRole('main').getByRole('combobox', { name: 'Search the catalogue' });
    await field.fill('rivet');
    await expect.poll(() => options(page).count()).toBe(2);
    await page.keyboard.press('Enter');
    await expect.poll(() => options(page).count()).toBe(0);
    await expectNames(page, [hammer, pliers]);
    await field.fill('riveting');
    await options(page).first().tap();
    await page.getByRole('heading', { level: 1, name: hammer }).waitFor();
  });
});

test('on wide screens, the search is beside the title, and the first prices are in view', async () => {
  const page = await stage.open({ as: tom, viewport: { width: 1280, height: 800 } });
  await openPath(page, '/products');
  const title = await page.getByRole('heading', { level: 1 }).boundingBox();
  const search = await page.getByRole('main').getByRole('searchbox').boundingBox();
  expect(search?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0));
  expect(search?.x).toBeGreaterThan((title?.x ?? 0) + (title?.width ?? 0));
  const card = page.getByRole('region', { name: 'Results' }).getByRole('listitem').first();
  const price = await card.getByText('168').boundingBox();
  expect((price?.y ?? Number.NaN) + (price?.height ?? Number.NaN)).toBeLessThan(800);
});

test('a phone shows two tools in a row, without excerpts and buttons; a tap anywhere on a card opens its page', async () => {
  const page = await stage.open({ as: tom, ...phone });
  await openPath(page, '/products');
  const cards = page.getByRole('region', { name: 'Results' }).getByRole('listitem');
  const tops = async () => {
    const boxes = await Promise.all([0, 1, 2].map((index) => cards.nth(index).boundingBox()));
    return boxes.map((area) => area?.y ?? Number.NaN);
  };
  const [first, second, third] = await tops();
  expect(second).toBe(first);
  expect(third).toBeGreaterThan(first ?? Number.NaN);
  const excerpt = cards.first().getByText(/^Winds a clock mainspring/);
  await expect.poll(() => excerpt.isVisible()).toBe(false);
  // The largest text sizes leave room for one tool in a row.
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  await expect.poll(async () => new Set(await tops()).size).toBe(3);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '';
  });
  await page.setViewportSize({ width: 640, height: 740 });
  await expect.poll(() => excerpt.isVisible()).toBe(true);
  await page.setViewportSize({ width: 375, height: 740 });
  await cards.first().click();
  await page.waitForURL('**/purchase/*');
});

test('cards say which tools are in the basket, without moving anything', async () => {
  const person = await stage.shop.signUp();
  const putIntoBasket = async (index: number) => {
    const { _id: id } = await stage.product(index);
    await stage.shop.client(person).call('setBasketLine', { params: { id }, body: { quantity: 1 } });
  };
  await putIntoBasket(0);
  const listMarked = (page: Page) =>
    page.getByRole('listitem').filter({ hasText: 'In your basket' }).getByRole('heading').allTextContents();
  const html = await stage.open({
    as: person,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/],
  });
  await html.goto('/products');
  expect(await listMarked(html)).toEqual([winder]);
  const page = await stage.open({ as: person, ...phone });
  await openPath(page, '/products');
  const listTops = () =>
    page
      .locator('main li h2')
      .evaluateAll((titles) => titles.map((title) => title.getBoundingClientRect().top));
  const tops = await listTops();
  // The drawing is free.
  const badge = await page.getByText('In your basket').first().boundingBox();
  expect(badge?.y).toBeGreaterThan(tops[0] ?? Number.NaN);
  await putIntoBasket(2);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect.poll(() => listMarked(page)).toEqual([winder, 'Five-armed star key']);
  expect(await listTops()).toEqual(tops);
});

test('if the browser blocks storage, / is no shortcut, because it could not be turned off', async () => {
  const page = await stage.open({ as: tom });
  await page.addInitScript(() =>
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    }),
  );
  await openPath(page, '/products');
  // An error in the page would fail the test, too.
  await page.keyboard.press('/');
  await expect.poll(() => isFocused(page)).toBe(false);
});
