import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';

describe.each(engines)('on %s', (engine) => {
  test('POST /review adds the review in the user’s name at the top of the list', async () => {
    await using shop = await startShop({ engine });
    const { img } = await shop.addProduct();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann Ö. "Clock"')];
    for (const [person, rating] of [
      [tom, 1],
      [ann, 5],
    ] as const)
      await shop.client(person).call('addReview', { body: { rating, reviews: ' Cuts well. ', img } });
    const list = await shop.client().call('listReviews', {});
    expect(list).toMatchObject([
      { name: 'Ann Ö. "Clock"', rating: 5, reviews: 'Cuts well.', img },
      { name: tom.name, rating: 1 },
    ]);
    expect(Date.now() - Date.parse(list[0]?.createdAt ?? '')).toBeLessThan(60_000);
    expect(list.some((review) => 'email' in review)).toBe(false);
  });

  test('POST /review reports each invalid field', async () => {
    await using shop = await startShop({ engine });
    const { img } = await shop.addProduct();
    const tom = await shop.signUp();
    const send = (change: object) =>
      sendCall(shop, 'addReview', {
        body: { rating: 5, reviews: 'Good.', img, ...change },
        headers: tokenHeaders(tom),
      });
    for (const [change, messages] of [
      [
        { rating: undefined, reviews: undefined, img: undefined },
        ['rating: Rating is Required', 'reviews: Comments is Required', 'img: Image is Required'],
      ],
      [
        { rating: '', reviews: ' ', img: '' },
        ['rating: Rating is Required', 'reviews: Comments is Required', 'img: Image is Required'],
      ],
      [{ rating: 0 }, ['rating: Rating must be at least 1']],
      [{ rating: 6 }, ['rating: Rating must be at most 5']],
      [{ rating: 4.5 }, ['rating: Rating must be a whole number']],
      [{ rating: '5' }, ['rating: Rating must be a whole number']],
      [{ reviews: 'a'.repeat(2001) }, ['reviews: Comments must be 2000 characters or shorter']],
      [{ reviews: 'a\0b' }, ['reviews: Comments has characters that cannot be printed']],
      [{ img: 'https://elsewhere.example/a.png' }, [expect.stringMatching(/^img: Image must be/)]],
    ] as const) {
      const { status, errors = [] } = await readProblem(await send(change));
      expect([status, errors.map(({ field, message }) => `${field}: ${message}`)]).toEqual([422, messages]);
    }
    expect(await shop.client().call('listReviews', {})).toEqual([]);
    expect((await send({ reviews: 'ö'.repeat(2000) })).status).toBe(201);
  });
});

test('with a hosted image service, an image must be an https URL', async () => {
  await using shop = await startShop({ settings: { IMAGE_HOST_URL: 'https://images.example/1/upload' } });
  const tom = await shop.signUp();
  const send = async (img: string) =>
    (
      await sendCall(shop, 'addReview', {
        body: { rating: 5, reviews: 'Good.', img },
        headers: tokenHeaders(tom),
      })
    ).status;
  expect(await send('https://i.images.example/abc.png')).toBe(201);
  for (const img of ['http://i.images.example/abc.png', 'javascript:alert(1)', '//images.example/a.png', 'a'])
    expect([img, await send(img)]).toEqual([img, 422]);
});
