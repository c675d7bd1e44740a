import { useSyncExternalStore } from 'react';
import type { Viewer } from '../../contract/pages.ts';

/** The id of the signed-in user, shared by all windows of this browser; empty if nobody is signed in. */
const key = 'signed-in';

// A browser may refuse its storage; each window then knows only its own sign-in.
export function announce(viewer: Viewer | undefined): void {
  try {
    localStorage.setItem(key, viewer?._id ?? '');
  } catch {}
}

export function isAnnounced(viewer: Viewer | undefined): boolean {
  try {
    return (localStorage.getItem(key) ?? '') === (viewer?._id ?? '');
  } catch {
    return true;
  }
}

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
