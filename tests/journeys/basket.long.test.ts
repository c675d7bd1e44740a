import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { getBrowser, openPage, phone } from '../support/browser.ts';
import { fillCardField, signIn, submitPayment, waitForTransactionId } from '../support/customer.ts';
import { engines, makeFolder, makeTestPostgres } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { startServer } from '../support/server.ts';

/** Puts the first three tools of the catalogue into the basket and returns their names. */
async function fillBasket(page: Page): Promise<string[]> {
  const names: string[] = [];
  for (let index = 0; index < 3; index++) {
    await page.goto('/products');
    await page
      .getByRole('link', { name: /^Order / })
      .nth(index)
      .click();
    await page.getByRole('button', { name: 'Add to basket' }).click();
    await page.getByText('Added to your basket').first().waitFor();
    names.push((await page.getByRole('heading', { level: 1 }).textContent()) ?? '');
  }
  return names;
}

test.each(engines)(
  'a customer orders three tools with one payment, and an admin refunds one of them in part, on %s',
  async (engine) => {
    const DATA_DIR = makeFolder();
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
    const database = engine === 'postgres' ? { DATABASE_URL: (await makeTestPostgres()).url } : {};
    const { origin } = await startServer({ DATA_DIR, PORT: `${await findFreePort()}`, ...database });
    const browser = await getBrowser();
    const page = await openPage(browser, origin, phone);
    await page.goto('/products');
    await signIn(page, 'customer@example.com', 'clockwork');
    await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
    const names = await fillBasket(page);
    await page.getByRole('link', { name: 'Basket, 3 pieces' }).click();
    await page.getByRole('heading', { name: 'Basket', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Basket, 0 pieces' }).waitFor();
    await fillCardField(page, '4242 4242 4242 4242');
    await submitPayment(page);
    const transaction = await waitForTransactionId(page);

    const admin = await openPage(browser, origin);
    await admin.goto('/dashboard/allOrders');
    await signIn(admin, 'admin@example.com', 'clockwork');
    const row = admin.getByRole('row').filter({ hasText: transaction }).first();
    await row.getByRole('link', { name: /^Order / }).click();
    await admin.getByRole('link', { name: `Refund… ${names[1]}` }).click();
    await admin.getByLabel('Amount').fill('1');
    await admin.getByLabel('The customer asked for it').check();
    await admin.getByRole('button', { name: 'Refund USD 1.00', exact: true }).click();
    await admin.getByText('Sent back to the card').waitFor();

    await page.goto('/dashboard/myOrder');
    await page.getByRole('link', { name: '$1.00 refunded' }).click();
    const section = page.getByRole('region', { name: names[1] ?? '' });
    await section.getByText('5 to 10 business days').waitFor();
    // The amount is in the facts, with the tool, and twice in the history: at the start and at the end of the refund.
    await expect.poll(() => page.getByText('USD 1.00').count()).toBe(4);
  },
);
