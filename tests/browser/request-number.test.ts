import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { getBrowser, visit } from '../support/browser.ts';
import { signIn } from '../support/customer.ts';
import { startShop } from '../support/shop.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await getBrowser();
});

/** Waits until the page says the number of this answer, where people read. */
const said = (page: Page, headers: Record<string, string>) =>
  page
    .getByRole('main')
    .getByText(`If it lasts, tell us this number: ${headers['x-request-id']}.`)
    .first()
    .waitFor();

test('the number of what failed on our side stands on the page, and stays when its script has taken it over', async () => {
  await using shop = await startShop({ logsErrors: true });
  const tom = await shop.signUp();
  await shop.listen();
  const page = await visit(browser, shop.origin, { expected: [/status of 500/] });
  await shop.database.db.schema.alterTable('review').renameTo('lost').execute();
  const document = await page.goto('/', { waitUntil: 'networkidle' });
  expect(document?.status()).toBe(500);
  await said(page, document?.headers() ?? {});
  // Its script is there: this step loads no document.
  await page.getByText('signIn').first().click();

  await shop.database.db.schema.alterTable('tries').renameTo('lost_too').execute();
  const answered = page.waitForResponse(/sign-in\/email/);
  await signIn(page, tom.email, tom.password);
  const refused = await answered;
  expect(refused.status()).toBe(500);
  await said(page, refused.headers());
});
