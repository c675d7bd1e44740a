import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allOffers } from '../support/call-samples.ts';
import { openScreen, prepareScreens, type Screen, screenNames } from './screens.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let screens: Screen[];
beforeAll(async () => {
  stage = await openStage({ settings: allOffers });
  screens = await prepareScreens(stage.shop);
});
afterAll(() => stage?.close());

test('screenNames lists every screen', () => {
  expect(screens.map(({ name }) => name)).toEqual(screenNames);
});

test.each(screenNames)(
  '%s meets WCAG 2.2 A and AA, in light and dark mode, at 360 and 1280 px',
  async (name) => {
    const page = await openScreen(stage, screens, name, 360);
    await page.evaluate(axe.source);
    expect(await findSmallTargets(page)).toEqual([]);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 740 });
        await page.emulateMedia({ colorScheme });
        await waitForTransitions(page);
        const where = `${colorScheme}, ${width} px`;
        expect(await findViolations(page, colorScheme), where).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `scrolls sideways: ${where}`).toBeLessThanOrEqual(0);
      }
    }
  },
);

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
    const targets = document.querySelectorAll('button, input, textarea, select, summary, [role=button]');
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
