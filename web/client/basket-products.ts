import { useSyncExternalStore } from 'react';
import type { BasketLine } from '../../contract/orders/purchases.ts';
import type { Viewer } from '../../contract/pages.ts';
import { getSession } from './session.ts';

/** Tells other windows that the basket has changed. Its value is the user, the ids of the products and a random number. */
export const basketKey = 'basket';

type CachedProducts = { userId: string; ids: readonly string[] };

/** The products that this window has learned; undefined until the basket changes or is loaded again. */
let cached: CachedProducts | undefined;
const listeners = new Set<() => void>();

function setCached(next: CachedProducts): void {
  cached = next;
  for (const listener of listeners) listener();
}

/** The ids of the products in the user's basket: this window's, or else the page's. Undefined if neither is known. */
export function useBasketProducts({ _id, basketProducts }: Viewer): readonly string[] | undefined {
  const current = useSyncExternalStore(
    subscribe,
    () => cached,
    () => undefined,
  );
  return current?.userId === _id ? current.ids : basketProducts;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const listIds = (lines: readonly BasketLine[]) => lines.map(({ product }) => product._id);

/** Updates the header and the cards of this window. Call it after loading the basket. */
export function showBasketLines(lines: readonly BasketLine[]): void {
  const userId = getSession().viewer()?._id;
  if (userId) setCached({ userId, ids: listIds(lines) });
}

/** Updates every window. Call it only after this window has changed the basket: the others load it again. */
export function setBasketLines(lines: readonly BasketLine[]): void {
  showBasketLines(lines);
  const userId = getSession().viewer()?._id;
  if (!userId) return;
  // Disabled storage throws. The other windows then learn of the change when they get the focus.
  try {
    localStorage.setItem(basketKey, `${userId} ${listIds(lines)} ${Math.random()}`);
  } catch {}
}

/** Loads the basket. Ignores failures: the next change or focus loads it again. */
export async function reloadBasketProducts(): Promise<void> {
  const { client, viewer } = getSession();
  const userId = viewer()?._id;
  const basket = userId && (await client.call('getBasket', {}).catch(() => undefined));
  if (basket) setCached({ userId, ids: listIds(basket.lines) });
}

/** Follows other windows, and calls `reload` when this one is used again: another device may have changed the basket. */
export function watchBasketProducts(reload: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const follow = ({ key, newValue }: StorageEvent) => {
    const [userId, ids] = (key === basketKey && newValue?.split(' ')) || [];
    if (userId && ids !== undefined) setCached({ userId, ids: ids.split(',').filter(Boolean) });
  };
  addEventListener('storage', follow, { signal });
  addEventListener('focus', reload, { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && reload(), { signal });
  return () => stop.abort();
}
