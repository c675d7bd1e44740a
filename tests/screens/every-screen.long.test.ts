import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allOffers } from '../support/call-samples.ts';
import type { TestShop } from '../support/shop.ts';
import { openScreen, prepareScreens, type Screen, screenNames } from './screens.ts';
import { openPath, openStage, type Stage } from './stage.ts';

/** The script is minified, because every page parses it. */
const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let stage: Stage;
let screens: Screen[];
beforeAll(async () => {
  stage = await openStage({ settings: allOffers });
  screens = await prepareScreens(stage.shop);
  await lengthenTexts(stage.shop);
});
afterAll(() => stage?.close());

test('screenNames lists every screen', () => {
  expect(screens.map(({ name }) => name)).toEqual(screenNames);
});

/** At these widths, in CSS pixels, a screen is also checked for accessibility. */
const phoneWidth = 360;
const desktopWidth = 1280;

/** Most are the widths at which a layout starts, because the layout is tightest there. */
const widths = [
  320,
  phoneWidth,
  400,
  480,
  560,
  640,
  688,
  728,
  768,
  832,
  896,
  960,
  1024,
  1152,
  desktopWidth,
  1440,
];

// One visit per screen, because opening it takes as long as its checks.
test.each(screenNames)(
  '%s fits every width even with long words, and a phone with text at twice the size, with its header in one row, and meets WCAG 2.2 A and AA',
  async (name) => {
    const page = await openScreen(stage, screens, name, 320);
    await page.evaluate(axeScript);
    const problems: string[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 });
      for (const problem of await findMisfits(page)) problems.push(`${width} px: ${problem}`);
      if (width === phoneWidth) problems.push(...(await findSmallTargets(page)));
      if (width !== phoneWidth && width !== desktopWidth) continue;
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await waitForTransitions(page);
        for (const violation of await findViolations(page, colorScheme))
          problems.push(`${colorScheme}, ${width} px: ${violation}`);
      }
    }
    // Check this only on a phone, because it does not change the breakpoints, as a browser's own setting would.
    await page.setViewportSize({ width: phoneWidth, height: 740 });
    await enlargeText(page);
    for (const problem of await findMisfits(page)) problems.push(`large text: ${problem}`);
    expect(problems, problems.join('\n')).toEqual([]);
  },
);

test('with text at twice the size, the menu of a phone fits', async () => {
  const page = await openScreen(stage, screens, 'basket', 360);
  await enlargeText(page);
  const header = page.locator('body header').first();
  await header.locator('summary').click();
  expect(await findMisfits(page)).toEqual([]);
  expect((await header.locator('details nav').boundingBox())?.x).toBeGreaterThanOrEqual(0);
});

/** Opens a screen in its first state, without `prepare`. */
async function openList(name: string, width: number): Promise<Page> {
  const screen = screens.find((candidate) => candidate.name === name);
  if (!screen?.as) throw new Error(`There is no screen ${name} with a signed-in user.`);
  const page = await stage.open({ as: screen.as, viewport: { width, height: 740 } });
  await openPath(page, screen.path);
  return page;
}

test('the buttons of reviews line up with the values on a phone', async () => {
  const page = await openList('reviews', 320);
  const leftOf = (selector: string) =>
    page
      .locator(`main tr ${selector}`)
      .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().left));
  const [value] = await leftOf('td[data-label] > *');
  const buttons = await leftOf('td > button, td > span > button:first-of-type');
  expect(buttons.length).toBeGreaterThan(0);
  expect([...new Set(buttons)]).toEqual([value]);
});

test('orders are cards in one to three columns below the width of their table', async () => {
  const page = await openList('all-orders', 320);
  const countColumns = () =>
    page
      .locator('main tbody > tr')
      .evaluateAll((rows) => new Set(rows.map((row) => row.getBoundingClientRect().left)).size);
  for (const [width, columns] of [
    [320, 1],
    [440, 1],
    [480, 2],
    [744, 3],
    [800, 1],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await expect.poll(countColumns, { message: `${width} px` }).toBe(columns);
  }
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

/** Doubles the text's size, as browsers' settings can. */
function enlargeText(page: Page): Promise<void> {
  return page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
}

/** Elements that extend beyond the window or scroll horizontally, and a header of more than one row on a wide window. */
function findMisfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const describe = (element: Element) =>
      `<${element.localName} class="${element.getAttribute('class')}"> ${element.textContent.slice(0, 40)}`;
    const scrollers = [...document.querySelectorAll('body *')].filter(
      (element) =>
        element.scrollWidth > element.clientWidth &&
        /auto|scroll/.test(getComputedStyle(element).overflowX) &&
        // A product's images and the reviews on the home page are meant to scroll.
        !element.matches('input, textarea, section[aria-label=Images], #reviews > ul'),
    );
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 0.5,
    );
    const header = document.querySelector('body header')?.getBoundingClientRect();
    // A header of one row has buttons of 44 px and a padding of 12 px.
    const isTall = innerWidth >= 768 && header !== undefined && header.height > 80;
    return [
      ...[...scrollers, ...(scrollWidth > clientWidth ? wide.slice(-1) : [])].map(describe),
      ...(isTall ? [`the header is ${header.height} px high`] : []),
    ];
  });
}

/** Waits for colour transitions; endless animations do not change colours. */
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const fading = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(fading.map((animation) => animation.finished));
  });
}

/** Dark mode changes only colours, so it is checked only for contrast. */
async function findViolations(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  const runOnly =
    scheme === 'dark'
      ? { type: 'rule' as const, values: ['color-contrast', 'link-in-text-block'] }
      : {
          type: 'tag' as const,
          values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'],
        };
  const results = await page.evaluate(
    (rules) => window.axe.run({ runOnly: rules, resultTypes: ['violations'] }),
    runOnly,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Buttons and fields under 44 px in either direction. Links in text may be smaller. */
function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // A default button for the Enter key is hidden from the accessibility tree, and cannot be pointed at.
    const targets = document.querySelectorAll(
      'button:not([aria-hidden=true]), input, textarea, select, summary, [role=button]',
    );
    return [...targets].flatMap((target) => {
      // A large label counts, because pressing it activates the field.
      const boxes = [target, target.closest('label')].flatMap((element) => (element ? [element] : []));
      const isVisible = target.checkVisibility({ visibilityProperty: true });
      const isLarge = boxes.some((box) => {
        const { width, height } = box.getBoundingClientRect();
        return width >= 44 && height >= 44;
      });
      const { width, height } = target.getBoundingClientRect();
      return !isVisible || isLarge || width === 0
        ? []
        : [`${width} × ${height}: ${target.outerHTML.slice(0, 120)}`];
    });
  });
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
