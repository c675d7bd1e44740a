import { useSyncExternalStore } from 'react';
import type { Viewer } from '../../contract/pages.ts';

/** Stores the id of the signed-in user for all windows of this browser; empty if no one is signed in. */
const storageKey = 'signed-in';

// If storage is disabled, each window knows only about its own sign-in.
export function recordSignedInUser(viewer: Viewer | undefined): void {
  try {
    localStorage.setItem(storageKey, viewer?._id ?? '');
  } catch {}
}

export function isRecordedUser(viewer: Viewer | undefined): boolean {
  try {
    return (localStorage.getItem(storageKey) ?? '') === (viewer?._id ?? '');
  } catch {
    return true;
  }
}

/** Dispatched before a page reloads to show the account that is signed in now (`OtherAccount`). */
export const continueEvent = 'continue-as-other';

/** Another window has switched accounts since this page was rendered, or signed out (`viewer` is undefined). */
type AccountChange = { viewer: Viewer | undefined };

let change: AccountChange | undefined;
const listeners = new Set<() => void>();

export function setAccountChange(next: AccountChange | undefined): void {
  change = next;
  for (const listener of listeners) listener();
}

export function useAccountChange(): AccountChange | undefined {
  return useSyncExternalStore(
    subscribe,
    () => change,
    () => undefined,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `check` whenever another window may have signed in or out. */
export function watchOtherWindows(check: () => Promise<void>): void {
  // A check may fail, for example while offline; the next call or event checks again.
  const checkSafely = () => void check().catch(() => {});
  addEventListener('storage', (event) => {
    if (event.key === storageKey || event.key === null) checkSafely();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') checkSafely();
  });
}
