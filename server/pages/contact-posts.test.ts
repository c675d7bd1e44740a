import { expect, test } from 'vitest';
import { waitForLetter } from '../../tests/support/letters.ts';
import { liveSettings } from '../../tests/support/live-settings.ts';
import { readProblem, sendCall } from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const settings = { CONTACT_EMAIL: 'owner@mail.example', NEWSLETTER: 'yes' };

/** Posts a form as a browser does, with or without scripts. */
async function post(shop: TestShop, path: string, fields: Record<string, string>) {
  const response = await shop.send(path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, location: response.headers.get('location'), html: await response.text() };
}

const get = async (shop: TestShop, path: string) => {
  const response = await shop.send(path);
  return { status: response.status, html: await response.text() };
};

test('the boxes on the home page post to their own pages, which keep the input of a rejected form', async () => {
  await using shop = await startShop({ settings });
  await shop.listen();
  const { html } = await get(shop, '/');
  expect(html).toContain('<form id="contact" method="post" action="/contact" novalidate></form>');
  expect(html).toContain('<form id="newsletter" method="post" action="/newsletter" novalidate></form>');
  expect(html).not.toContain('sample form');
  const wrong = await post(shop, '/contact', { email: 'tom at mail', message: 'A "fusee" <b>' });
  expect(wrong.status).toBe(422);
  expect(wrong.html).toContain('<title>Error: Contact us');
  expect(wrong.html).toContain('Provide a valid Email');
  expect(wrong.html).toContain('value="tom at mail"');
  expect(wrong.html).toContain('A &quot;fusee&quot; &lt;b&gt;</textarea>');
  const sent = await post(shop, '/contact', { email: 'tom@mail.example', message: 'One\r\ntwo' });
  expect([sent.status, sent.location]).toEqual([303, '/contact?done=sent']);
  expect((await get(shop, '/contact?done=sent')).html).toContain('<title>Message sent');
  const letter = await waitForLetter(shop, 'owner@mail.example', /^Message from/);
  expect(letter.text).toContain('> One\n> two\n');
});

test('an address is confirmed and unsubscribed by buttons, never by opening a link', async () => {
  await using shop = await startShop({ settings });
  await shop.listen();
  const list = () => shop.database.db.selectFrom('subscriber').select(['email', 'token']).execute();
  const wrong = await post(shop, '/newsletter', { email: 'tom' });
  expect([wrong.status, wrong.html.includes('Provide a valid Email')]).toEqual([422, true]);
  const requested = await post(shop, '/newsletter', { email: 'tom@mail.example' });
  expect([requested.status, requested.location]).toEqual([303, '/newsletter?done=sent']);
  expect((await get(shop, '/newsletter?done=sent')).html).toContain('<title>Check your email');
  const letter = await waitForLetter(shop, 'tom@mail.example', /^Confirm/);
  const link = /\/newsletter\/confirm\?token=\S+/.exec(letter.text ?? '')?.[0] ?? expect.unreachable();
  for (const page of [await get(shop, link), await get(shop, link)])
    expect(page.html).toContain('Yes, subscribe me');
  expect(await list()).toEqual([]);
  const forged = await post(shop, `${link}x`, {});
  expect(forged.status).toBe(422);
  expect(forged.html).toContain('This link is wrong or has expired');
  const endless = await post(shop, `${link}${'x'.repeat(1000)}`, {});
  expect([endless.status, endless.html.includes('Token is not known')]).toEqual([422, true]);
  const confirmed = await post(shop, link, {});
  expect([confirmed.status, confirmed.location]).toEqual([303, '/newsletter?done=confirmed']);
  const [subscriber] = await list();
  expect(subscriber?.email).toBe('tom@mail.example');
  const unsubscribe = `/newsletter/unsubscribe?token=${subscriber?.token}`;
  expect((await get(shop, unsubscribe)).html).toContain('Unsubscribe</button>');
  expect(await list()).toHaveLength(1);
  const done = await post(shop, unsubscribe, {});
  expect([done.status, done.location]).toEqual([303, '/newsletter/unsubscribe?done=yes']);
  expect(await list()).toEqual([]);
  expect((await get(shop, done.location ?? '')).html).toContain('<title>You&#8217;re unsubscribed');
});

test('without settings, the boxes on the home page have no forms, and their pages are neither found nor in the sitemap', async () => {
  await using shop = await startShop();
  const { html } = await get(shop, '/');
  expect(html).not.toContain('<form id=');
  expect(html).toContain('A sample form.');
  for (const path of ['/contact', '/newsletter', '/newsletter/confirm?token=x']) {
    const page = await get(shop, path);
    expect([path, page.status, page.html.includes('Error 404')]).toEqual([path, 404, true]);
    expect((await post(shop, path, { email: 'tom@mail.example', message: 'x' })).status).toBe(404);
  }
  expect((await get(shop, '/nowhere')).html).not.toContain('href="/contact"');
  expect((await get(shop, '/sitemap.xml')).html).not.toContain('/contact');
  expect(await shop.database.db.selectFrom('mail').selectAll().execute()).toEqual([]);
});

test('a live shop without these settings says that nothing is sent', async () => {
  await using provider = await startShop();
  await using shop = await startShop({ settings: liveSettings(provider) });
  const { html } = await get(shop, '/');
  expect(html).not.toContain('<form id=');
  expect(html).not.toContain('A sample form.');
  expect(
    html.match(/This form is not set up yet\. Nothing you enter here is sent\./g)?.length,
  ).toBeGreaterThanOrEqual(2);
  const refused = await sendCall(shop, 'sendContactMessage', {
    body: { email: 'tom@mail.example', message: 'Hello' },
  });
  expect(await readProblem(refused)).toMatchObject({ status: 404, detail: 'This shop has no contact form.' });
});

test('an admin marks messages as answered with a plain post', async () => {
  await using shop = await startShop({ settings });
  const ada = await shop.admin();
  for (const message of ['Hello', 'Hello again'])
    await post(shop, '/contact', { email: 'tom@mail.example', message });
  const list = (query = {}) => shop.client(ada).call('listContactMessages', { query });
  const ids = (await list()).map(({ _id }) => _id).join(' ');
  const fields = { form: 'answered', ids, answered: 'yes' };
  const path = '/dashboard/messages';
  const body = () => new URLSearchParams(fields);
  const stranger = await shop.send(path, { method: 'POST', body: body() });
  expect(stranger.headers.get('location')).toMatch(/^\/login/);
  expect(await list()).toHaveLength(2);
  const response = await shop.send(path, { method: 'POST', body: body() }, ada);
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    '/dashboard/messages?done=answered',
  ]);
  expect(await list()).toEqual([]);
  expect(await list({ answered: 'true' })).toHaveLength(2);
});

test('the not-found page links to the contact form if there is one', async () => {
  await using shop = await startShop({ settings });
  expect((await get(shop, '/nowhere')).html).toContain('href="/contact"');
  expect((await get(shop, '/sitemap.xml')).html).toContain(`${shop.origin}/newsletter`);
});
