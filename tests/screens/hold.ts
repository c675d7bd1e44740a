import type { Page } from 'playwright-core';

/** Lets the calls of a page to a path wait until what it gives is called. */
export async function holdRequests(page: Page, path: string): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}
