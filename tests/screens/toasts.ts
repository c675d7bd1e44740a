import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Stops the clock of a loaded page; time then passes only by `page.clock.runFor`. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
}

/** Expects a toast that is visible for exactly 4,000 ms; the clock must be stopped. */
export async function expectToast(page: Page, text: string): Promise<void> {
  const toast = page.getByRole('status').getByText(text);
  await toast.waitFor();
  await page.clock.runFor(3999);
  await expect.poll(() => toast.isVisible(), { message: `“${text}” after 3,999 ms` }).toBe(true);
  await page.clock.runFor(1);
  await toast.waitFor({ state: 'detached' });
}
