import { useSyncExternalStore } from 'react';
import type { BasketLine } from '../../contract/orders/purchases.ts';
import type { Viewer } from '../../contract/pages.ts';
import { getSession } from './session.ts';

/**
 * The storage key that tells other windows that the basket has changed. The value is the user's id, the products with their
 * quantities, and a random number.
 */
export const basketKey = 'basket';

/** The quantity of each product, by its id. */
type Quantities = Readonly<Record<string, number>>;
type CachedQuantities = { userId: string; quantities: Quantities };

/** The quantities that this window has learned; undefined until the basket changes or is loaded again. */
let cached: CachedQuantities | undefined;
const listeners = new Set<() => void>();

function setCached(next: CachedQuantities): void {
  cached = next;
  for (const listener of listeners) listener();
}

/**
 * The quantities in the user's basket: those that this window has learned or, before that, those that came with the page.
 * Undefined if neither is known.
 */
export function useBasketQuantities({ _id, basketQuantities }: Viewer): Quantities | undefined {
  const current = useSyncExternalStore(
    subscribe,
    () => cached,
    () => undefined,
  );
  return current?.userId === _id ? current.quantities : basketQuantities;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const toQuantities = (lines: readonly BasketLine[]): Quantities =>
  Object.fromEntries(lines.map(({ product, quantity }) => [product._id, quantity]));

/** Updates the header and the cards of this window. Call it after loading the basket. */
export function showBasketLines(lines: readonly BasketLine[]): void {
  const userId = getSession().viewer()?._id;
  if (userId) setCached({ userId, quantities: toQuantities(lines) });
}

/**
 * Updates every window. Call it only after this window has changed the basket, because basket pages in other windows then load
 * the basket again.
 */
export function setBasketLines(lines: readonly BasketLine[]): void {
  showBasketLines(lines);
  const userId = getSession().viewer()?._id;
  if (!userId) return;
  // Disabled storage throws. The other windows then learn of the change when they get the focus.
  try {
    const pairs = lines.map(({ product, quantity }) => `${product._id}:${quantity}`);
    localStorage.setItem(basketKey, `${userId} ${pairs} ${Math.random()}`);
  } catch {}
}

/** Loads the basket. Ignores failures: the next change or focus loads it again. */
export async function reloadBasket(): Promise<void> {
  const { client, viewer } = getSession();
  const userId = viewer()?._id;
  const before = cached;
  const basket = userId && (await client.call('getBasket', {}).catch(() => undefined));
  // This window may have changed the basket while the response was on its way.
  if (basket && cached === before) setCached({ userId, quantities: toQuantities(basket.lines) });
}

/**
 * Follows changes in other windows. Calls `reload` when this window is used again, because another device may have changed the
 * basket.
 */
export function watchBasket(reload: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const follow = ({ key, newValue }: StorageEvent) => {
    const [userId, pairs] = (key === basketKey && newValue?.split(' ')) || [];
    if (!userId || pairs === undefined) return;
    const entries = pairs
      .split(',')
      .filter(Boolean)
      .map((pair): [string, number] => {
        const [id = '', quantity] = pair.split(':');
        return [id, Number(quantity)];
      });
    setCached({ userId, quantities: Object.fromEntries(entries) });
  };
  addEventListener('storage', follow, { signal });
  addEventListener('focus', reload, { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && reload(), { signal });
  return () => stop.abort();
}
