import { vi } from 'vitest';

/** The timeout of `expect.poll`, which does not work in concurrent tests. */
const timeout = 30_000;

/** Repeats `check` until it passes, and returns its value. */
export function waitUntil<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout });
}
