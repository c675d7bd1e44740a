import { expect, test } from 'vitest';
import { cookieHeaders, readSetCookies, sendAuthRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

test('no input of an identity call is logged', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const marker = 'visitor_input';
  const begin = { provider: 'google', callbackURL: '/', errorCallbackURL: `/login?error=${marker}` };
  const requests: [string, object][] = [
    ['/sign-in/social', { ...begin, callbackURL: `//${marker}` }],
    ['/sign-in/social', { ...begin, callbackURL: [marker] }],
    ['/sign-in/social', { ...begin, errorCallbackURL: `https://${marker}.example` }],
    ['/sign-in/social', { ...begin, provider: marker }],
    ['/link-social', { ...begin, callbackURL: `//${marker}` }],
    ['/sign-in/email', { email: `${marker}@example.com`, password: marker }],
    ['/sign-in/email', { email: marker, password: marker, [marker]: marker }],
    ['/sign-up/email', { email: marker, password: marker, name: marker }],
    ['/sign-up/email', { email: `${marker}@example.com`, password: 'short', name: marker }],
    ['/change-password', { currentPassword: marker, newPassword: marker }],
    ['/revoke-session', { token: marker }],
    ['/sign-out', { callbackURL: `//${marker}`, state: marker }],
  ];
  const from = shop.logged.length;
  for (const [path, body] of requests) await sendAuthRequest(shop, path, body, cookieHeaders(tom));
  const noState = `/callback/google?error=${marker}&state=${marker}&code=${marker}&iss=${marker}`;
  for (const query of ['', `?error=${marker}`, `?state=${marker}`, noState.slice('/callback/google'.length)])
    await sendAuthRequest(shop, `/callback/google${query}`);
  for (const query of [
    `error=${marker}&error_description=${marker}`,
    `code=${marker}`,
    `iss=${marker}&code=a`,
  ]) {
    const response = await sendAuthRequest(shop, '/sign-in/social', begin);
    const { url }: { url: string } = await response.json();
    const state = new URL(url).searchParams.get('state');
    const headers = { cookie: readSetCookies(response) };
    const back = await sendAuthRequest(shop, `/callback/google?state=${state}&${query}`, undefined, headers);
    expect([query, back.status]).toEqual([query, 302]);
  }
  const lines = shop.logged.slice(from);
  expect(lines.filter((line) => JSON.stringify(line).includes(marker))).toEqual([]);
  // Rejections are logged as codes.
  const codes = lines.flatMap((line) => ('code' in line ? [line.code] : []));
  expect(codes).toEqual(expect.arrayContaining(['INVALID_CALLBACK_URL', 'INVALID_EMAIL_OR_PASSWORD']));
  expect(lines).toContainEqual(expect.objectContaining({ security: '/callback/google', failed: 'other' }));
});
