import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Expects a toast that is visible for exactly 4,000 ms, the length of its animation. */
export async function expectToast(page: Page, text: string): Promise<void> {
  const toast = page.getByRole('status').locator('p').filter({ hasText: text });
  const lengths = () =>
    toast.evaluate((element) =>
      element.getAnimations().map((animation) => animation.effect?.getComputedTiming().endTime),
    );
  expect(await lengths()).toEqual([4000]);
  expect(await toast.isVisible(), text).toBe(true);
  // The toast stays while the pointer is on it.
  const playState = () => toast.evaluate((element) => element.getAnimations()[0]?.playState);
  await toast.hover();
  await expect.poll(playState).toBe('paused');
  await page.mouse.move(0, 0);
  await expect.poll(playState).toBe('running');
  await toast.evaluate((element) => element.getAnimations()[0]?.finish());
  await toast.waitFor({ state: 'detached' });
}
