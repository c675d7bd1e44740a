import { expect } from 'vitest';
import type { TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

/** The text of a page's `main` and footer, without tags and with single spaces. The page must exist. */
export async function readPageText(shop: TestShop, path: string, person?: TestUser): Promise<string> {
  const response = await shop.send(path, {}, person);
  expect(response.status).toBe(200);
  return toPageText(await response.text());
}

export const toPageText = (html: string): string =>
  html
    .slice(html.indexOf('<main'), html.indexOf('id="page-data"'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
