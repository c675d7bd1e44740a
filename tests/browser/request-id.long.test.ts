import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { getBrowser, openPage } from '../support/browser.ts';
import { signIn } from '../support/customer.ts';
import { startShop } from '../support/shop.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await getBrowser();
});

/** Waits until the page shows the request id of this response. */
const waitForRequestId = (page: Page, headers: Record<string, string>) =>
  page
    .getByRole('main')
    .getByText(`If this keeps happening, send us this request ID: ${headers['x-request-id']}.`)
    .first()
    .waitFor();

test('an error page shows the request id, before and after hydration', async () => {
  await using shop = await startShop({ allowErrorLogs: true });
  const tom = await shop.signUp();
  await shop.listen();
  const page = await openPage(browser, shop.origin, { expected: [/status of 500/] });
  await shop.database.db.schema.alterTable('review').renameTo('lost').execute();
  const document = await page.goto('/', { waitUntil: 'networkidle' });
  expect(document?.status()).toBe(500);
  await waitForRequestId(page, document?.headers() ?? {});
  // The page is hydrated: this click loads no document.
  await page.getByText('signIn').first().click();

  await shop.database.db.schema.alterTable('rate_limit').renameTo('lost_too').execute();
  const responded = page.waitForResponse(/sign-in\/email/);
  await signIn(page, tom.email, tom.password);
  const refused = await responded;
  expect(refused.status()).toBe(500);
  await waitForRequestId(page, refused.headers());
});
