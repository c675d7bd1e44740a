import { createContext, type ReactNode, useContext } from 'react';
import { createMoney } from '../contract/money.ts';
import type { ShownCategory, WebSettings } from '../contract/pages.ts';
import type { ShownPromise } from '../contract/promises.ts';

export type ShopData = {
  settings: WebSettings;
  /** The largest categories. */
  categories: ShownCategory[];
  /** Absent if the owner has promised nothing. */
  promises?: ShownPromise[];
  /** The URL of the style sheet of all pages. */
  styles: string;
};

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

export const useCategories = (): ShownCategory[] => useShop().categories;

export const usePromises = (): ShownPromise[] | undefined => useShop().promises;

/** The style sheet for pages whose styles are not in `storefront.css`. */
export const useAllStyles = (): string => useShop().styles;

/** Formats prices in the shop's currency. */
export function useMoney() {
  return createMoney(useSettings());
}
