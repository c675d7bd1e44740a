import type { Locator, Page, Route } from 'playwright-core';
import { expect } from 'vitest';

/** A button by its accessible name. */
export const findButton = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });

/**
 * Presses a button twice, as fast as a mouse can, and Enter behind it, while the call is held that it makes. Gives how many
 * such calls had left the page by the time that `until` is over.
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
