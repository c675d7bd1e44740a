import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../support/requests.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage();
  ada = await stage.shop.signIn('admin@example.com', 'clockwork');
});
afterAll(() => stage?.close());

// `stage.open` fails the test if the page violates its policy, logs an error or sends a request to another host.
test('an admin opens the API page from Make Admin and tries a call with the session cookie', async () => {
  const page = await stage.open({ as: ada });
  await page.goto('/dashboard/users');
  await page.getByRole('link', { name: 'shop’s API' }).click();
  const call = page.locator('[id$="-listUsers"]');
  await call.locator('button.opblock-summary-control').click();
  await call.getByRole('button', { name: 'Try it out' }).click();
  await call.getByRole('button', { name: 'Execute' }).click();
  await expect
    .poll(() => call.locator('.live-responses-table .response').first().textContent())
    .toContain('admin@example.com');
});

test('a visitor who signs in as an admin returns to the API page', async () => {
  const page = await stage.open();
  await page.goto('/api/docs');
  await page.getByLabel('Email').fill('admin@example.com');
  await page.getByLabel('Password', { exact: true }).fill('clockwork');
  await page.getByRole('main').getByRole('button', { name: 'Login' }).click();
  await page.locator('[id$="-listProducts"]').waitFor();
  expect(new URL(page.url()).pathname).toBe('/api/docs');
});
