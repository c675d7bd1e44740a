import { expect, test } from 'vitest';
import { askIdentity, byCookie, cookieOf } from '../support/ask.ts';
import { startShop } from '../support/shop.ts';

test('nothing that a visitor sends to an identity call is logged', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const words = 'visitors_words';
  const begin = { provider: 'google', callbackURL: '/', errorCallbackURL: `/login?error=${words}` };
  const forms: [string, object][] = [
    ['/sign-in/social', { ...begin, callbackURL: `//${words}` }],
    ['/sign-in/social', { ...begin, callbackURL: [words] }],
    ['/sign-in/social', { ...begin, errorCallbackURL: `https://${words}.example` }],
    ['/sign-in/social', { ...begin, provider: words }],
    ['/link-social', { ...begin, callbackURL: `//${words}` }],
    ['/sign-in/email', { email: `${words}@example.com`, password: words }],
    ['/sign-in/email', { email: words, password: words, [words]: words }],
    ['/sign-up/email', { email: words, password: words, name: words }],
    ['/sign-up/email', { email: `${words}@example.com`, password: 'short', name: words }],
    ['/change-password', { currentPassword: words, newPassword: words }],
    ['/revoke-session', { token: words }],
    ['/sign-out', { callbackURL: `//${words}`, state: words }],
  ];
  const from = shop.logged.length;
  for (const [path, body] of forms) await askIdentity(shop, path, body, byCookie(tom));
  const noState = `/callback/google?error=${words}&state=${words}&code=${words}&iss=${words}`;
  for (const query of ['', `?error=${words}`, `?state=${words}`, noState.slice('/callback/google'.length)])
    await askIdentity(shop, `/callback/google${query}`);
  for (const query of [`error=${words}&error_description=${words}`, `code=${words}`, `iss=${words}&code=a`]) {
    const response = await askIdentity(shop, '/sign-in/social', begin);
    const { url }: { url: string } = await response.json();
    const state = new URL(url).searchParams.get('state');
    const headers = { cookie: cookieOf(response) };
    const back = await askIdentity(shop, `/callback/google?state=${state}&${query}`, undefined, headers);
    expect([query, back.status]).toEqual([query, 302]);
  }
  const lines = shop.logged.slice(from);
  expect(lines.filter((line) => JSON.stringify(line).includes(words))).toEqual([]);
  // Refusals are logged as codes.
  const codes = lines.flatMap((line) => ('code' in line ? [line.code] : []));
  expect(codes).toEqual(expect.arrayContaining(['INVALID_CALLBACK_URL', 'INVALID_EMAIL_OR_PASSWORD']));
  expect(lines).toContainEqual(expect.objectContaining({ security: '/callback/google', failed: 'other' }));
});
