import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core';
import type { Person } from '../support/ask.ts';
import { getBrowser, visit } from '../support/browser.ts';
import { startShop } from '../support/shop.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

type VisitOptions = BrowserContextOptions & {
  /** Complaints that belong to the test. */
  expected?: RegExp[];
  /** Whoever has signed in already. */
  as?: Person;
};

/**
 * A shop that listens and a browser, for all tests of a file: `beforeAll(async () => { stage = await openStage(); })`.
 * The demo shop, unless told otherwise; tests that change what others see make people and products of their own.
 */
export async function openStage({ demo = true }: { demo?: boolean } = {}) {
  const shop = await startShop({ demo });
  await shop.listen();
  const browser: Browser = await getBrowser();

  /** A window of a new visitor, or of somebody who has signed in. */
  async function open({ as, ...options }: VisitOptions = {}): Promise<Page> {
    const page = await visit(browser, shop.origin, options);
    if (as) await page.context().addCookies(toBrowserCookies(as, shop.origin));
    return page;
  }

  return {
    shop,
    browser,
    open,
    /** The n-th product of the catalogue, the first being 0. */
    async product(at = 0) {
      const product = (await shop.client().call('listProducts', { query: { limit: 50 } }))[at];
      if (!product) throw new Error(`There is no product ${at}.`);
      return product;
    },
    async close() {
      await shop.close();
    },
  };
}

/** What a person's browser keeps of having signed in. */
export function toBrowserCookies(person: Person, origin: string) {
  return person.cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: origin };
  });
}

/** Goes to an address and waits until the page's own script has taken over, so that whatever is pressed answers. */
export async function openPath(page: Page, path: string): Promise<Response | null> {
  const answer = await page.goto(path);
  await waitForHydration(page);
  return answer;
}

/** Waits until the page's own script has taken over. */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const main = document.querySelector('main');
    return main && Object.keys(main).some((key) => key.startsWith('__react'));
  });
}
