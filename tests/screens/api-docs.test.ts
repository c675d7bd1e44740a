import axe from 'axe-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../support/people.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let ada: Person;
beforeAll(async () => {
  stage = await openStage();
  ada = await stage.shop.signIn('admin@example.com', 'clockwork');
});
afterAll(() => stage.close());

/** The page with one call unfolded; `visit` sees to it that nothing breaks its policy or leaves the shop. */
async function open(call: string, options: Parameters<Stage['open']>[0] = {}) {
  const page = await stage.open({ as: ada, ...options });
  await page.goto(`/api/docs#${call}`);
  const form = page.locator(`#${call} form`);
  await form.getByRole('button', { name: 'Send' }).waitFor();
  return { page, form, send: () => form.getByRole('button', { name: 'Send' }).click() };
}

test('an admin tries a list, and the page behind it', async () => {
  const { form, send } = await open('listProducts');
  await form.getByLabel('limit').fill('1');
  await send();
  await form.getByText(/^Answered 200/).waitFor();
  const first = (await stage.product(0)).name;
  await expect.poll(() => form.locator('pre').textContent()).toContain(`"name": "${first}"`);
  await form.getByRole('button', { name: 'Next page' }).click();
  const second = (await stage.product(1)).name;
  await expect.poll(() => form.locator('pre').textContent()).toContain(`"name": "${second}"`);
});

test('what changes something is sent as whom one chose: by cookie, by a token, as nobody', async () => {
  const bob = await stage.shop.signUp('Bob');
  const { page, form, send } = await open('isAdmin', { expected: [/status of 40[13]/] });
  await form.getByLabel('email').fill(bob.email);
  await send();
  await form.getByText(/^Answered 200/).waitFor();
  await page.getByRole('textbox', { name: 'Bearer token' }).fill((await stage.shop.signUp('Carl')).token);
  await send();
  await form.getByText(/^Answered 403/).waitFor();
  await page.getByLabel('as nobody').check();
  await send();
  await form.getByText(/^Answered 401/).waitFor();

  const place = page.locator('#saveUser');
  await place.locator('summary').click();
  await page.getByLabel('as you').check();
  const body = JSON.stringify({ address: 'A', phone: '1', education: 'E', linkedIn: 'L' });
  await place.getByLabel('Body').fill(body);
  await place.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => place.locator('form pre').textContent()).toContain('"modifiedCount": 1');
});

test('a picture is put on the image host from it', async () => {
  const { form, send } = await open('uploadImage');
  const icon = await stage.shop.send('/favicon.ico');
  const picture = await stage.shop.send(icon.headers.get('location') ?? '');
  const buffer = Buffer.from(await picture.arrayBuffer());
  await form.getByLabel('Picture').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer });
  await send();
  await expect.poll(() => form.locator('pre').textContent()).toContain('"url": "/images/');
});

test('a visitor who signs in comes back to it', async () => {
  const page = await stage.open();
  await page.goto('/api/docs');
  await page.getByLabel('Email').fill('admin@example.com');
  await page.getByLabel('Password', { exact: true }).fill('clockwork');
  await page.getByRole('main').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('heading', { name: 'The calls of the shop' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/api/docs');
});

test('admins find it from Make Admin', async () => {
  const page = await stage.open({ as: ada });
  await page.goto('/dashboard/users');
  await page.getByRole('link', { name: 'shop’s API' }).click();
  await page.getByRole('heading', { name: 'The calls of the shop' }).waitFor();
});

const standard = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
/** At night only the colours are others. */
const looks = [
  [360, 'light', standard],
  [1280, 'light', standard],
  [1280, 'dark', ['cat.color']],
] as const;

test('all of it keeps WCAG 2.2 A and AA, on a phone and a desk, by day and by night', async () => {
  const { page, form, send } = await open('listReviews', { reducedMotion: 'reduce' });
  await send();
  await form.getByText(/^Answered 200/).waitFor();
  await page.getByRole('button', { name: 'Unfold all calls' }).click();
  await page.evaluate(axe.source);
  for (const [width, colorScheme, values] of looks) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(
      (asked) =>
        window.axe.run({ runOnly: { type: 'tag', values: [...asked] }, resultTypes: ['violations'] }),
      values,
    );
    const where = `${colorScheme}, ${width} px`;
    const said = found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    expect(said, where).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `scrolls sideways: ${where}`).toBeLessThanOrEqual(0);
  }
}, 120_000);
