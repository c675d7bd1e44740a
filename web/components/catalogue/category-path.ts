import { productsPage } from '../../../contract/page-addresses.ts';

/** The catalogue's page of a category. */
export const toCategoryPath = (category: string): string =>
  `${productsPage}?${new URLSearchParams({ category })}`;
