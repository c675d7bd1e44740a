import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allOffers } from '../support/call-samples.ts';
import type { TestShop } from '../support/shop.ts';
import { openScreen, prepareScreens, type Screen, screenNames } from './screens.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let screens: Screen[];
beforeAll(async () => {
  stage = await openStage({ settings: allOffers });
  screens = await prepareScreens(stage.shop);
  await lengthenTexts(stage.shop);
});
afterAll(() => stage?.close());

const widths = Array.from({ length: 29 }, (_, step) => 320 + 40 * step);

test.each(screenNames)(
  '%s fits every width even with long words, with its header in one row',
  async (name) => {
    const page = await openScreen(stage, screens, name, 320);
    const overflowing: string[] = [];
    const tallHeaders: string[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 });
      for (const element of await findOverflow(page)) overflowing.push(`${width} px: ${element}`);
      const header = await page.locator('body header').first().boundingBox();
      // A header of one row has buttons of 44 px and a padding of 12 px.
      if (width >= 768 && header && header.height > 80) tallHeaders.push(`${width} px: ${header.height} px`);
    }
    expect(overflowing).toEqual([]);
    expect(tallHeaders).toEqual([]);
  },
);

const mainScreens = [
  'home',
  'products',
  'purchase',
  'basket',
  'basket-wrong',
  'my-orders',
  'my-orders-together',
  'order',
  'payment',
  'payment-together',
];

test('with text at twice the size, the main pages fit a phone', async () => {
  const overflowing: string[] = [];
  for (const name of mainScreens) {
    const page = await openScreen(stage, screens, name, 360);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    for (const element of await findOverflow(page)) overflowing.push(`${name}: ${element}`);
    const header = page.locator('body header').first();
    await header.locator('summary').click();
    for (const element of await findOverflow(page)) overflowing.push(`${name} with its menu: ${element}`);
    const menu = await header.locator('details nav').boundingBox();
    if (!menu || menu.x < 0) overflowing.push(`${name}: the menu starts at ${menu?.x} px`);
    await page.close();
  }
  expect(overflowing).toEqual([]);
}, 60_000);

test.each(['all-orders', 'reviews'])('the buttons of %s line up with the values on a phone', async (name) => {
  const screen = screens.find((candidate) => candidate.name === name);
  if (!screen?.as) throw new Error(`There is no screen ${name} with a signed-in user.`);
  const page = await stage.open({ as: screen.as, viewport: { width: 320, height: 740 } });
  await openPath(page, screen.path);
  const leftOf = (selector: string) =>
    page
      .locator(`main tr ${selector}`)
      .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().left));
  const [value] = await leftOf('td[data-label] > *');
  const buttons = await leftOf('td > button, td > span > button:first-of-type');
  expect(buttons.length).toBeGreaterThan(0);
  expect([...new Set(buttons)]).toEqual([value]);
});

/** Replaces all user input with unbreakable words. */
async function lengthenTexts({ database: { db } }: TestShop): Promise<void> {
  const word = 'Regulatorunruhspiralfederschlüssel';
  await db
    .updateTable('product')
    .set({ name: word, description: `${word} ${word}${word}` })
    .execute();
  await db
    .updateTable('review')
    .set({ name: word, text: `${word}${word} ${word}` })
    .execute();
  const contact = { phone: '0'.repeat(30), address: word };
  await db
    .updateTable('purchase')
    .set({ ...contact, name: word })
    .execute();
  await db.updateTable('order_line').set({ product_name: word }).execute();
  await db
    .updateTable('user')
    .set({ ...contact, name: word, education: word, linkedIn: `https://www.linkedin.com/in/${word}` })
    .execute();
  const people = await db.selectFrom('user').select(['id', 'email']).execute();
  for (const { id, email } of people) {
    const long = `${word.toLowerCase()}.${email}`;
    await db.updateTable('user').set({ email: long }).where('id', '=', id).execute();
  }
}

/** Elements that extend beyond the window or scroll horizontally. */
function findOverflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const describe = (element: Element) =>
      `<${element.localName} class="${element.getAttribute('class')}"> ${element.textContent.slice(0, 40)}`;
    const scrollers = [...document.querySelectorAll('body *')].filter(
      (element) =>
        element.scrollWidth > element.clientWidth &&
        /auto|scroll/.test(getComputedStyle(element).overflowX) &&
        // A product's images are meant to scroll.
        !element.matches('input, textarea, section[aria-label=Images]'),
    );
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 0.5,
    );
    return [...scrollers, ...(scrollWidth > clientWidth ? wide.slice(-1) : [])].map(describe);
  });
}
