import { describe, expect, onTestFinished, test } from 'vitest';
import { engines } from '../support/database.ts';
import { liveSettings } from '../support/live-settings.ts';
import { readProblem, sendCall, type TestUser, tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const mailSettings = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Shop <shop@shop.example>' };

async function startLiveShop(options: Parameters<typeof startShop>[0]) {
  const provider = await startShop();
  onTestFinished(provider.close);
  await provider.listen();
  return startShop({ ...options, settings: { ...liveSettings(provider), ...options?.settings } });
}

const review = { rating: 5, reviews: 'Visit spam.example!' };

async function postFrom(shop: TestShop, address: string, { token }: TestUser, img: string) {
  const request = new Request(`${shop.origin}/api/review`, {
    method: 'POST',
    headers: { ...tokenHeaders({ token }), 'content-type': 'application/json' },
    body: JSON.stringify({ ...review, img }),
  });
  return (await shop.fetchFromAddress(request, address)).status;
}

describe.each(engines)('on %s', (engine) => {
  test('in a live shop, a network address can send at most 20 reviews a day, with any number of accounts', async () => {
    await using shop = await startLiveShop({ engine });
    const { img } = await shop.addProduct();
    const people = [await shop.signUp(), await shop.signUp('Ann'), await shop.signUp('Bob')];
    const statuses: number[] = [];
    // All addresses are in one /64 network of IPv6, which belongs to one customer.
    for (let sent = 0; sent < 8; sent++)
      for (const person of people)
        statuses.push(await postFrom(shop, `2001:db8:1:1::${sent + 1}`, person, img));
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(4).fill(429)]);
    const [tom] = people;
    expect(tom && (await postFrom(shop, '2001:db8:1:2::1', tom, img))).toBe(201);
    expect(await shop.client().call('listReviews', {})).toHaveLength(21);
  });

  test('in a live shop that sends mail, every review needs a confirmed address', async () => {
    await using shop = await startLiveShop({ engine, settings: mailSettings });
    const { img } = await shop.addProduct();
    const send = (person: TestUser) =>
      sendCall(shop, 'addReview', { body: { ...review, img }, headers: tokenHeaders(person) });
    const tom = await shop.signUp();
    const rejected = await readProblem(await send(tom));
    expect(rejected).toMatchObject({ status: 409, type: 'urn:problem:address_unconfirmed' });
    const page = await shop.send('/dashboard/review', { headers: { cookie: tom.cookie } });
    const html = await page.text();
    expect(html).toContain('You can write reviews once your address is confirmed.');
    expect(html).not.toContain('name="rating"');
    expect(html).not.toContain('Your review appears');
    const ann = await shop.signUpConfirmed('Ann');
    const form = await shop.send('/dashboard/review', { headers: { cookie: ann.cookie } });
    const confirmed = await form.text();
    expect(confirmed).toContain('name="rating"');
    expect(confirmed).toContain('Your review appears');
    expect((await send(ann)).status).toBe(201);
    expect(await shop.client().call('listReviews', {})).toHaveLength(1);
  });

  test('in a sandbox, accounts of one network address review the shop without limit or confirmation', async () => {
    await using shop = await startShop({ engine });
    const { img } = await shop.addProduct();
    for (const person of [await shop.signUp(), await shop.signUp('Ann')])
      for (let sent = 0; sent < 15; sent++) expect(await postFrom(shop, '192.0.2.1', person, img)).toBe(201);
  });
});
