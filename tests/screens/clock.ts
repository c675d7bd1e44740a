import type { Page } from 'playwright-core';

/** Stops the clock of a loaded page; time then passes only by `page.clock.runFor`. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
}
