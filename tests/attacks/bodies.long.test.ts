import { expect, test } from 'vitest';
import { sendAuthRequest, sendRequest, tokenHeaders } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

test('deeply nested JSON is rejected everywhere', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  const product = await shop.addProduct();
  const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
  expect(await sendAuthRequest(shop, '/sign-in/email', `{"email":${deep}}`)).toMatchObject({ status: 400 });
  const body = `{"orderId":"${product._id}","orderQuantity":1,"price":12.5,"user":"${person.email}","product":${deep}}`;
  const headers = { ...tokenHeaders(person), 'idempotency-key': 'deep' };
  expect(await sendRequest(shop, 'POST', '/api/orders', { body, headers })).toMatchObject({ status: 400 });
});

test('large bodies that arrive together are parsed with pauses, in which other requests are read', async () => {
  await using shop = await startShop();
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`${index}`, 0])),
  );
  const count = 30;
  let [iterations, isDone] = [0, false];
  const countIteration = () => {
    iterations += 1;
    if (!isDone) setImmediate(countIteration);
  };
  setImmediate(countIteration);
  const answeredAt = await Promise.all(
    Array.from({ length: count }, async () => {
      expect(await sendAuthRequest(shop, '/sign-in/email', body)).toMatchObject({ status: 400 });
      return iterations;
    }),
  );
  isDone = true;
  // The pauses between the responses, in iterations of the event loop.
  const pauses = answeredAt.slice(1).map((at, index) => at - (answeredAt[index] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(5);
});

test('a client that disconnects during its body is not mistaken for a lost database connection', async () => {
  await using shop = await startShop();
  const body = new ReadableStream({
    pull: (controller) => controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })),
  });
  const headers = { origin: shop.origin, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body, duplex: 'half' };
  const request = new Request(`${shop.origin}/api/auth/sign-in/email`, init);
  expect(await shop.fetch(request)).toMatchObject({ status: 400 });
  expect(shop.logged.filter(({ level }) => level >= 40)).toEqual([]);
});
