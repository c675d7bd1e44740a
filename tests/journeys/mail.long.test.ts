import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { getBrowser, openPage } from '../support/browser.ts';
import {
  orderFirstProduct,
  signIn,
  signUp,
  startPayment,
  submitPayment,
  waitForTransactionId,
} from '../support/customer.ts';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { startServer } from '../support/server.ts';

const email = 'nora@example.com';
const newPassword = 'verge-and-foliot';

/** Waits for a message in the sandbox's inbox, opens it, and reads it as HTML, as text and as source. */
async function openMessage(page: Page, subject: RegExp): Promise<void> {
  await expect
    .poll(async () => {
      await page.goto('/sandbox/mail');
      return page.getByRole('link', { name: subject }).count();
    })
    .toBeGreaterThan(0);
  await page.getByRole('link', { name: subject }).first().click();
  await page.getByRole('link', { name: 'Source' }).click();
  await page.getByText(`To: ${email}`).waitFor();
  await page.getByRole('link', { name: 'Text' }).click();
  await page.locator('pre').getByText('You’re receiving this email because').waitFor();
  await page.getByRole('link', { name: 'HTML' }).click();
}

const followButton = (page: Page, name: string) =>
  page.frameLocator('iframe').getByRole('link', { name }).click();
const expectText = (page: Page, text: string | RegExp) =>
  page.frameLocator('iframe').getByText(text).first().waitFor();

test('a newcomer follows every message of a purchase with only a browser', async () => {
  const DATA_DIR = makeFolder();
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const { origin } = await startServer({ DATA_DIR, PORT: `${await findFreePort()}` });
  const page = await openPage(await getBrowser(), origin);

  await signUp(page, 'Nora Newcomer', email);
  await openMessage(page, /^Confirm your email address/);
  await followButton(page, 'Confirm your email address');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('alert').getByText('Your email address is confirmed.').waitFor();

  await page.getByRole('button', { name: 'signOut' }).click();
  await page.goto('/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?', level: 1 }).waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await openMessage(page, /^Reset your password/);
  await followButton(page, 'Choose a new password');
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Change password' }).click();
  await signIn(page, email, newPassword);
  await page.getByText('Nora Newcomer').first().waitFor();
  await openMessage(page, /^Your password was changed/);

  await page.goto('/products');
  await orderFirstProduct(page);
  await openMessage(page, /^Your order [\w-]{9} ?to /);
  await page.goto('/dashboard/myOrder');
  await startPayment(page, '4242 4242 4242 4242');
  await submitPayment(page);
  const transaction = await waitForTransactionId(page);
  await openMessage(page, /^Receipt for your order/);
  await expectText(page, transaction);
  const number = /order ([\w-]{9}) /.exec(await page.title())?.[1] ?? expect.unreachable();

  const admin = await openPage(await getBrowser(), origin);
  await admin.goto('/dashboard/allOrders');
  await signIn(admin, 'admin@example.com', 'clockwork');
  await admin.getByText(transaction).waitFor();
  await admin.getByRole('button', { name: 'Ship, now paid' }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Ship it' }).click();
  await admin.getByRole('button', { name: 'Undo' }).waitFor();
  // The message waits for a minute, in which the admin can take the parcel back.
  using database = new DatabaseSync(join(DATA_DIR, 'shop.db'), { timeout: 10_000 });
  database.exec(`update mail set due_at = 0 where kind = 'order shipped'`);
  await openMessage(page, /^Your order .* is on its way/);
  await followButton(page, 'View your order');
  await page.getByRole('heading', { name: `Order ${number}`, level: 1 }).waitFor();

  await admin.goto(`/dashboard/orders/${number}`);
  await admin.getByRole('link', { name: /^Refund… / }).click();
  await admin.getByLabel('Other reason').check();
  await admin.getByRole('button', { name: /^Refund USD / }).click();
  await admin.getByText('Sent back to the card').waitFor();
  await openMessage(page, /^Refund for your order/);
});
