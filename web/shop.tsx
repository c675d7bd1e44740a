import { createContext, type ReactNode, useContext } from 'react';
import { createMoney } from '../contract/money.ts';
import type { WebSettings } from '../contract/pages.ts';

/** `categories` are the largest ones; `styles` is the URL of the style sheet of all pages. */
export type ShopData = { settings: WebSettings; categories: string[]; styles: string };

const Shop = createContext<ShopData | undefined>(undefined);

/** Provides the shop's settings to all components below it. */
export function ShopProvider({ shop, children }: { shop: ShopData; children: ReactNode }) {
  return <Shop value={shop}>{children}</Shop>;
}

function useShop(): ShopData {
  const shop = useContext(Shop);
  if (!shop) throw new Error('There is no ShopProvider above this component.');
  return shop;
}

export const useSettings = (): WebSettings => useShop().settings;

export const useCategories = (): string[] => useShop().categories;

/** The style sheet for pages whose styles are not in `storefront.css`. */
export const useAllStyles = (): string => useShop().styles;

/** Formats prices in the shop's currency. */
export function useMoney() {
  return createMoney(useSettings());
}
