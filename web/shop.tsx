import { createContext, type ReactNode, useContext } from 'react';
import type { WebSettings } from '../contract/pages.ts';
import { createMoney } from './money.ts';

const Shop = createContext<WebSettings | undefined>(undefined);

/** Gives the shop's settings to every component under it. */
export function ShopProvider({ settings, children }: { settings: WebSettings; children: ReactNode }) {
  return <Shop value={settings}>{children}</Shop>;
}

export function useSettings(): WebSettings {
  const settings = useContext(Shop);
  if (!settings) throw new Error('There is no ShopProvider above this component.');
  return settings;
}

/** How prices are written here. */
export function useMoney() {
  return createMoney(useSettings());
}
