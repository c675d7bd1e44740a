import { createContext, type ReactNode, useContext } from 'react';
import { createMoney } from '../contract/money.ts';
import type { WebSettings } from '../contract/pages.ts';

/** `movement` is the address of the hero's engraving. */
export type ShopData = { settings: WebSettings; movement: string };

const Shop = createContext<ShopData | undefined>(undefined);

/** Gives what is known of the shop to every component under it. */
export function ShopProvider({ shop, children }: { shop: ShopData; children: ReactNode }) {
  return <Shop value={shop}>{children}</Shop>;
}

function useShop(): ShopData {
  const shop = useContext(Shop);
  if (!shop) throw new Error('There is no ShopProvider above this component.');
  return shop;
}

export const useSettings = (): WebSettings => useShop().settings;

export const useMovement = (): string => useShop().movement;

/** How prices are written here. */
export function useMoney() {
  return createMoney(useSettings());
}
