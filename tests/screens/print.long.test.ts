import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { phone } from '../support/browser.ts';
import { buy, placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let nora: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  nora = await stage.shop.signUp('Nora Newcomer');
  await buy(stage.shop, nora, await stage.shop.addProduct({ name: 'Depthing tool' }));
  await placeOrder(stage.shop, nora, await stage.shop.addProduct({ name: 'Star key' }));
});
afterAll(() => stage?.close());

/** The texts that are printed, and their brightness from 0 (black) to 1. */
const readPrintedTexts = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const brightness = (color: string) => {
      if (!canvas) throw new Error('There is no canvas.');
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return (red * 0.2126 + green * 0.7152 + blue * 0.0722) / 255;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: { text: string; brightness: number }[] = [];
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      const text = textContent?.trim();
      if (!text || !parentElement?.checkVisibility() || parentElement.closest('.sr-only, thead')) continue;
      texts.push({ text, brightness: brightness(getComputedStyle(parentElement).color) });
    }
    return texts;
  });

describe.each([
  ['on a phone', phone],
  ['on a desktop', { viewport: { width: 1280, height: 900 } }],
])('%s', (_screen, screen) => {
  test.each(['light', 'dark'] as const)(
    'My Orders prints only its orders, dark on white, in %s mode',
    async (colorScheme) => {
      const page = await stage.open({ as: nora, ...screen, colorScheme });
      await openPath(page, '/dashboard/myOrder');
      await page.emulateMedia({ media: 'print', colorScheme });
      const texts = await readPrintedTexts(page);
      const words = texts.map(({ text }) => text);
      expect(words).toEqual(
        expect.arrayContaining([
          'Hand-Tools Shop · Orders of Nora Newcomer',
          'My Orders',
          'Depthing tool',
          'Star key',
          '$12.50',
        ]),
      );
      for (const absent of [
        'Dashboard',
        'My Profile',
        'Add Review',
        'Menu',
        'Home',
        'Pay',
        'Delete',
        'signOut',
      ])
        expect(words).not.toContain(absent);
      expect(words.join(' ')).not.toMatch(/Sandbox|Copyright|Skip to/);
      expect(texts.filter(({ brightness }) => brightness > 0.4)).toEqual([]);
      const backgrounds = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('body, main, table, tr, td')].map(
          (element) => getComputedStyle(element).backgroundColor,
        ),
      );
      expect([...new Set(backgrounds)]).toEqual(['rgba(0, 0, 0, 0)']);
    },
  );
});
