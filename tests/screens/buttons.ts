import type { Locator, Page, Route } from 'playwright-core';
import { expect } from 'vitest';

/** Finds a button by its accessible name. */
export const findButton = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });

/**
 * Double-clicks a button and presses Enter while its request is delayed. Returns how many such requests the page has sent
 * once `until` settles.
 */
export async function pressTwice(
  page: Page,
  button: Locator,
  { method = 'POST', path, until }: { method?: string; path: RegExp; until: () => Promise<unknown> },
): Promise<number> {
  let sent = 0;
  const held = Promise.withResolvers<void>();
  await page.route(path, async (route: Route) => {
    if (route.request().method() === method) {
      sent += 1;
      await held.promise;
    }
    await route.continue();
  });
  await button.dblclick();
  await page.keyboard.press('Enter');
  await expect.poll(() => sent).toBeGreaterThan(0);
  held.resolve();
  await until();
  return sent;
}
