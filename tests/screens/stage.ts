import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core';
import { getBrowser, openPage } from '../support/browser.ts';
import type { TestUser } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { waitUntil } from '../support/wait.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

type VisitOptions = BrowserContextOptions & {
  /** Console messages and errors that the test expects. */
  expected?: RegExp[];
  /** Signs this person in. */
  as?: TestUser;
};

/**
 * Starts a shop and a browser for the tests of a file: `beforeAll(async () => { stage = await openStage(); })`. By default, the
 * shop is the demo shop; tests that change shared data create their own people and products.
 */
export async function openStage({
  demo = true,
  settings = {},
}: {
  demo?: boolean;
  settings?: Record<string, string>;
} = {}) {
  const shop = await startShop({ demo, settings });
  await shop.listen();
  const browser: Browser = await getBrowser();

  /** Opens a page in a new browser context, signed in if `as` is given. */
  async function open({ as, ...options }: VisitOptions = {}): Promise<Page> {
    const page = await openPage(browser, shop.origin, options);
    if (as) await page.context().addCookies(toBrowserCookies(as, shop.origin));
    return page;
  }

  return {
    shop,
    browser,
    open,
    /** Returns a product of the catalogue by its index. */
    async product(index = 0) {
      const product = (await shop.client().call('listProducts', { query: { limit: 50 } }))[index];
      if (!product) throw new Error(`There is no product ${index}.`);
      return product;
    },
    async close() {
      await shop.close();
    },
  };
}

/** Converts a person's Cookie header for Playwright. */
export function toBrowserCookies(person: TestUser, origin: string) {
  return person.cookie.split('; ').map((pair) => {
    const separator = pair.indexOf('=');
    return { name: pair.slice(0, separator), value: pair.slice(separator + 1), url: origin };
  });
}

/** Goes to a path and waits until the page is hydrated, so that its buttons work. */
export async function openPath(page: Page, path: string): Promise<Response | null> {
  const response = await page.goto(path);
  await waitForHydration(page);
  return response;
}

/**
 * Waits until the page's browser has a tab whose URL matches, and returns the URL. Asks the browser itself: while all
 * processors are busy, Playwright 1.65 sometimes emits no `page` event for a tab that a link has opened.
 */
export async function waitForTab(page: Page, url: RegExp): Promise<string> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser.');
  const session = await browser.newBrowserCDPSession();
  const found = await waitUntil(async () => {
    const { targetInfos } = await session.send('Target.getTargets');
    const tab = targetInfos.find((target) => target.type === 'page' && url.test(target.url));
    if (!tab) throw new Error(`The tabs are ${targetInfos.map((target) => target.url).join(', ')}.`);
    return tab.url;
  });
  await session.detach();
  return found;
}

/** Waits until React has hydrated the page and its effects have run. */
export async function waitForHydration(page: Page): Promise<void> {
  await page.locator('#root[data-hydrated]').waitFor();
}
