import { useSyncExternalStore } from 'react';
import type { Viewer } from '../../contract/pages.ts';
import { getSession } from './session.ts';

/** Tells other windows that the basket has changed. Its value is the user, the number of lines and a random number. */
export const basketKey = 'basket';

type CachedCount = { userId: string; count: number };

/** The count that this window has learned; undefined until the basket changes or is loaded again. */
let cached: CachedCount | undefined;
const listeners = new Set<() => void>();

function setCached(next: CachedCount): void {
  cached = next;
  for (const listener of listeners) listener();
}

/** The number of lines in the user's basket: this window's count, or else the page's. Undefined if neither is known. */
export function useBasketCount({ _id, basketLines }: Viewer): number | undefined {
  const current = useSyncExternalStore(
    subscribe,
    () => cached,
    () => undefined,
  );
  return current?.userId === _id ? current.count : basketLines;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Updates the header of this window. Call it after loading the basket, with its number of lines. */
export function showBasketCount(count: number): void {
  const userId = getSession().viewer()?._id;
  if (userId) setCached({ userId, count });
}

/** Updates the header of every window. Call it only after this window has changed the basket: the others load it again. */
export function setBasketCount(count: number): void {
  showBasketCount(count);
  const userId = getSession().viewer()?._id;
  if (!userId) return;
  // Disabled storage throws. The other windows then learn of the change when they get the focus.
  try {
    localStorage.setItem(basketKey, `${userId} ${count} ${Math.random()}`);
  } catch {}
}

/** Loads the number of lines. Ignores failures: the next change or focus loads it again. */
export async function reloadBasketCount(): Promise<void> {
  const { client, viewer } = getSession();
  const userId = viewer()?._id;
  const basket = userId && (await client.call('getBasket', {}).catch(() => undefined));
  if (basket) setCached({ userId, count: basket.lines.length });
}

/** Follows other windows, and calls `reload` when this one is used again: another device may have changed the basket. */
export function watchBasketCount(reload: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const follow = ({ key, newValue }: StorageEvent) => {
    const [userId, count] = (key === basketKey && newValue?.split(' ')) || [];
    if (userId && count) setCached({ userId, count: Number(count) });
  };
  addEventListener('storage', follow, { signal });
  addEventListener('focus', reload, { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && reload(), { signal });
  return () => stop.abort();
}
