import { useSyncExternalStore } from 'react';
import type { Viewer } from '../contract/pages.ts';

/** The id of the signed-in user, shared by all windows of this browser; empty if nobody is signed in. */
const key = 'signed-in';

export const announce = (viewer: Viewer | undefined): void => localStorage.setItem(key, viewer?._id ?? '');

export const isAnnounced = (viewer: Viewer | undefined): boolean =>
  (localStorage.getItem(key) ?? '') === (viewer?._id ?? '');

/** Another window has changed who is signed in since this page was shown; without `viewer`, nobody is. */
type Change = { viewer: Viewer | undefined };

let change: Change | undefined;
const listeners = new Set<() => void>();

export function noteChange(noted: Change | undefined): void {
  change = noted;
  for (const listener of listeners) listener();
}

export function useChange(): Change | undefined {
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

/** Calls `check` whenever another window may have signed somebody in or out. */
export function watchWindows(check: () => Promise<void>): void {
  // For example while offline: the next call or event checks again.
  const look = () => void check().catch(() => {});
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) look();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') look();
  });
}
