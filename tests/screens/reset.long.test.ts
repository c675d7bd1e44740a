import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../support/customer.ts';
import { readToken, waitForDelivery, waitForLetter } from '../support/letters.ts';
import { readDescription } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { followMessage, pressButton, waitForHeading } from './steps.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const newPassword = 'verge-and-foliot';

describe.each([
  ['with scripts', true],
  ['without scripts', false],
] as const)('%s', (_, javaScriptEnabled) => {
  const openVisitor = () =>
    stage.open({
      javaScriptEnabled,
      expected: [/static\/js\/.*: csp$/, /status of (400|422)/],
    });

  test('a user who forgot their password gets a link, chooses a new one and signs in', async () => {
    const { shop } = stage;
    const person = await shop.signUp('Nora Newcomer');
    const page = await openVisitor();
    await page.goto('/login');
    const typed = javaScriptEnabled ? 'nora' : '';
    await page.getByLabel('Email').fill(typed);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await waitForHeading(page, 'Forgot your password?');
    expect(new URL(page.url()).search).toBe('');
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(typed);
    await page.getByLabel('Email').fill('nora at example.com');
    await pressButton(page, 'Send the link');
    await expect.poll(() => readDescription(page.getByLabel('Email'))).toContain('Provide a valid Email');
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe('nora at example.com');
    await page.getByLabel('Email').fill(person.email);
    await pressButton(page, 'Send the link');
    await page.getByRole('alert').getByText('If there is an account with this address').waitFor();

    await followMessage(stage.shop, page, 'Reset your password', 'Choose a new password');
    await waitForHeading(page, 'Choose a new password');
    await page.getByText('removes your passkeys').waitFor();
    const link = page.url();
    for (const [password, message] of [
      ['', 'Password is Required'],
      ['short', 'Must be 6 characters or longer'],
    ] as const) {
      await page.getByLabel('New password').fill(password);
      await pressButton(page, 'Change password');
      await expect.poll(() => readDescription(page.getByLabel('New password'))).toContain(message);
    }
    await page.getByLabel('New password').fill('Password1');
    await pressButton(page, 'Change password');
    await page.getByRole('alert').getByText('it is in lists of stolen passwords').waitFor();
    await expect.poll(() => readDescription(page.getByLabel('New password'))).toContain('easily guessed');
    await expect.poll(() => page.getByLabel('New password').getAttribute('aria-invalid')).toBe('true');
    // Without scripts, no password is sent back to the browser.
    await expect
      .poll(() => page.getByLabel('New password').inputValue())
      .toBe(javaScriptEnabled ? 'Password1' : '');
    await page.getByLabel('New password').fill(newPassword);
    await pressButton(page, 'Change password');
    await page.getByRole('alert').getByText('Your password is changed').waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/login?done=reset');
    await signIn(page, person.email, newPassword);
    await page.getByText('Nora Newcomer').first().waitFor();
    await waitForLetter(shop, person.email, /^Your password was changed$/);

    await page.goto(link);
    await page.getByLabel('New password').fill('another-password');
    await pressButton(page, 'Change password');
    await page.getByRole('alert').getByText('This link has expired or has already been used.').waitFor();
    await page.getByRole('link', { name: 'Get a new one' }).click();
    await waitForHeading(page, 'Forgot your password?');
  });
});

describe.each([
  ['with scripts', true],
  ['without scripts', false],
] as const)('%s', (_, javaScriptEnabled) => {
  test('a new user confirms their address, with a link that the profile sends again', async () => {
    const { shop } = stage;
    const person = await shop.signUp('Cora Confirms');
    const page = await stage.open({
      as: person,
      javaScriptEnabled,
      expected: [/static\/js\/.*: csp$/, /status of 400/],
    });
    await followMessage(stage.shop, page, 'Confirm your email address', 'Confirm your email address');
    await waitForHeading(page, 'Confirm your email address');
    const link = page.url();
    await page.goto('/dashboard');
    await page.getByText('Your email address is not confirmed.').waitFor();
    await pressButton(page, 'Send the link again');
    await page.getByText('Sent. Check your inbox.').waitFor();
    await waitForDelivery(shop);
    await page.goto(link);
    await pressButton(page, 'Confirm');
    // A newer link has replaced this one.
    await page.getByRole('alert').getByText('This link has expired or has already been used.').waitFor();
    await followMessage(stage.shop, page, 'Confirm your email address', 'Confirm your email address');
    await pressButton(page, 'Confirm');
    await page.getByRole('alert').getByText('Your email address is confirmed.').waitFor();
    expect(new URL(page.url()).search).toBe('?done=confirmed');
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.getByText('Your email address is confirmed.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send the link again' }).count()).toBe(0);
  });

  test('a user who opens the link on another device signs in there and returns to it', async () => {
    const { shop } = stage;
    const person = await shop.signUp('Pia Phone');
    const token = await readToken(shop, person.email, '/confirm-address');
    const page = await stage.open({ javaScriptEnabled, expected: [/static\/js\/.*: csp$/] });
    await page.goto(`/confirm-address?token=${token}`);
    await waitForHeading(page, 'Login');
    await signIn(page, person.email, person.password);
    await page.getByText(`You’re signed in as ${person.email}`).waitFor();
    await pressButton(page, 'Confirm');
    await page.getByRole('alert').getByText('Your email address is confirmed.').waitFor();
  });
});

test('the page of the link sends its URL in no referrer, not even to the shop', async () => {
  const { shop } = stage;
  const person = await shop.signUp();
  const page = await stage.open();
  const referrers: string[] = [];
  page.on('request', (request) => referrers.push(request.headers().referer ?? ''));
  await openPath(page, '/forgot-password');
  await page.getByLabel('Email').fill(person.email);
  await pressButton(page, 'Send the link');
  await page.getByRole('alert').getByText('If there is an account').waitFor();
  const token = await readToken(shop, person.email, '/reset-password');
  await openPath(page, `/reset-password?token=${token}`);
  await page.getByLabel('New password').fill(newPassword);
  await pressButton(page, 'Change password');
  await page.getByRole('alert').getByText('Your password is changed').waitFor();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await waitForHeading(page, 'Sign up');
  expect(referrers.filter((referrer) => referrer.includes(token))).toEqual([]);
  // The link is gone from the browser's history.
  await page.goBack();
  await page.goBack();
  expect(page.url()).not.toContain(token);
});
