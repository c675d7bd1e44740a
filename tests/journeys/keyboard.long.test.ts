import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage } from '../screens/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** The label or text of the focused element; inside a frame, the frame's title. */
function readFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return '';
    const label = 'labels' in element && element.labels instanceof NodeList && element.labels[0]?.textContent;
    const name = element.getAttribute('aria-label') ?? element.getAttribute('title');
    return (label || (name ?? element.textContent ?? '')).trim();
  });
}

/** Presses Tab until an element with this name has the focus, and checks that the focus is visible. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 40) {
    await page.keyboard.press('Tab');
    const focus = await readFocus(page);
    if (name.test(focus)) {
      const outline = await page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
      });
      // The focus of a frame is drawn around the field that contains it.
      if (!/frame/.test(focus)) expect(outline, `the focus on “${focus}” is visible`).toBe(true);
      return;
    }
    passed.push(focus);
  }
  throw new Error(`Tab never reached ${name}; it passed ${passed.join(' · ')}`);
}

const waitForHeading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

test('a visitor buys a tool with the keyboard alone, from the home page to the confirmation', async () => {
  const page = await stage.open();
  const { keyboard } = page;
  await page.goto('/');
  await page.waitForLoadState('networkidle');

  await tabTo(page, /^signIn$/);
  await keyboard.press('Enter');
  await waitForHeading(page, 'Login');
  await tabTo(page, /^Create an account$/);
  await keyboard.press('Enter');
  await waitForHeading(page, 'Sign up');
  await tabTo(page, /^Name$/);
  await keyboard.type('Nora Newcomer');
  await tabTo(page, /^Email$/);
  await keyboard.type('nora@example.com');
  await tabTo(page, /^Password$/);
  await keyboard.type('anchor-escapement');
  await keyboard.press('Enter');

  await waitForHeading(page, 'Products');
  await tabTo(page, /^Order\s*Depthing tool$/);
  await keyboard.press('Enter');
  await waitForHeading(page, 'Depthing tool');
  // The form collapses and expands.
  await tabTo(page, /^Order form/);
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Place order' }).waitFor({ state: 'hidden' });
  await keyboard.press('Space');
  await tabTo(page, /^Quantity of Depthing tool$/);
  await tabTo(page, /^One more: Depthing tool$/);
  await keyboard.press('Space');
  await tabTo(page, /^Address/);
  await keyboard.type('5 Verge Row');
  await tabTo(page, /^Place order$/);
  await keyboard.press('Space');

  await waitForHeading(page, 'Payment');
  const card = page.frameLocator('iframe[title="Secure card payment input frame"]');
  await card.getByLabel('card number').waitFor();
  await tabTo(page, /Secure card payment input frame/);
  // The card frame moves the focus to its next field when one is complete.
  for (const value of ['4242424242424242', '1240', '123', '10115']) await keyboard.type(value);
  await tabTo(page, /^Pay USD 570\.00$/);
  await keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Congratulations' }).waitFor();
});

test('the arrow keys choose a rating, and Enter opens a menu on a phone', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const page = await stage.open({ as: nora, viewport: { width: 360, height: 740 } });
  await page.goto('/dashboard/review');
  await page.waitForLoadState('networkidle');
  await tabTo(page, /^Menu/);
  await page.keyboard.press('Enter');
  await page.getByRole('banner').getByRole('link', { name: 'Blogs' }).waitFor();
  await page.keyboard.press('Enter');
  await tabTo(page, /1 star/);
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('radio', { name: /^4 stars/ }).isChecked()).toBe(true);
});
