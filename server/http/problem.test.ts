import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorTable } from '../../contract/errors.ts';
import { emptyFrame } from '../../contract/pages.ts';
import { engines } from '../../tests/support/database.ts';
import { openPayment, placeOrder } from '../../tests/support/payments.ts';
import {
  cookieHeaders,
  readAuthError,
  readProblem,
  sendAuthRequest,
  sendCall,
  sendRequest,
  tokenHeaders,
} from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { createPages, readManifest, toWebSettings } from '../pages/pages.ts';
import { createRenderer } from '../pages/renderer.ts';
import { problemResponse, toShopError } from './problem.ts';

/** The status and Retry-After for a database error with this code. */
function respondTo(code: string, errcode?: number) {
  const error = Object.assign(new Error('from the database'), { code, errcode });
  const known = toShopError(error, pino({ level: 'silent' }), 'request-1');
  expect(known.message).not.toContain('from the database');
  const { headers } = problemResponse(known, 'request-1');
  return [errorTable[known.code].status, headers.get('retry-after')];
}

test.each([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNABORTED',
  '08006',
  '08P01',
  '53300',
  '53400',
  '57P01',
  '57P05',
])('an unavailable database (%s) is a 503 with Retry-After: 5', (code) =>
  expect(respondTo(code)).toEqual([503, '5']),
);

// A full or failing disk and a read-only database. The codes of SQLite mean busy, I/O error (in general, and of a write), corrupt
// and full.
test.each([
  ['53100', 0],
  ['58030', 0],
  ['25006', 0],
  ...[5, 10, 778, 11, 13].map((errcode): [string, number] => ['ERR_SQLITE_ERROR', errcode]),
] satisfies [string, number][])('a broken database (%s %s) is a 503, too', (code, errcode) =>
  expect(respondTo(code, errcode)).toEqual([503, '5']),
);

test.each(['40001', '40P01'])('a conflict (%s) is a 503 with Retry-After: 1', (code) =>
  expect(respondTo(code)).toEqual([503, '1']),
);

test.each(['57014', '23505', '42601', 'ERR_SQLITE_ERROR'])('any other error (%s) is a 500', (code) =>
  expect(respondTo(code)).toEqual([500, null]),
);

const requestIdPattern = /If this keeps happening, send us this request ID: ([\da-f-]{36})\./;

/** The request id in a message. Fails unless the log and the response header have the same one. */
function findRequestId(shop: TestShop, response: Response, message: string): string {
  const id = requestIdPattern.exec(message)?.[1] ?? '';
  expect([message, id]).toEqual([message, response.headers.get('x-request-id')]);
  expect(JSON.stringify(shop.logged)).toContain(`"requestId":"${id}"`);
  return id;
}

const loseTable = (shop: TestShop, table: string) =>
  shop.database.db.schema.alterTable(table).renameTo(`lost_${table}`).execute();

describe.each(engines)('%s', (engine) => {
  test('a server error shows the request id that is in the log: calls, pages, images, identity', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    const tom = await shop.signUp();
    await loseTable(shop, 'review');

    const call = await sendCall(shop, 'listReviews');
    expect(call.status).toBe(500);
    const problem = await readProblem(call);
    expect(findRequestId(shop, call, problem.detail)).toBe(problem.requestId);

    for (const headers of [{}, cookieHeaders(tom)]) {
      const page = await sendRequest(shop, 'GET', '/', { headers });
      expect([page.status, page.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
      findRequestId(shop, page, await page.text());
    }

    await loseTable(shop, 'rate_limit');
    const form = new FormData();
    form.set('image', new Blob(['x']));
    const upload = await sendCall(shop, 'uploadImage', { body: form, headers: tokenHeaders(tom) });
    expect(upload.status).toBe(500);
    const { error } = await upload.json();
    findRequestId(shop, upload, error.message);

    const { email } = tom;
    const signIn = await sendAuthRequest(shop, '/sign-in/email', { email, password: 'not-that-one' });
    expect(signIn.status).toBe(500);
    findRequestId(shop, signIn, (await readAuthError(signIn)).message);
  });

  test('a temporary failure shows the request id, too; an error that the visitor can fix does not', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const order = await placeOrder(shop, tom, await shop.addProduct());
    for (let time = 0; time < 2; time++) shop.stripe.fail({ call: 'POST /v1/payment_intents', how: 500 });
    const body = { price: order.price, order: order._id };
    const away = await sendCall(shop, 'createPaymentIntent', { body, headers: tokenHeaders(tom) });
    expect(away.status).toBe(503);
    findRequestId(shop, away, (await readProblem(away)).detail);
    await openPayment(shop, tom, order);

    const refused = await sendCall(shop, 'placeOrder', { body: {}, headers: tokenHeaders(tom) });
    expect((await readProblem(refused)).detail).not.toMatch(requestIdPattern);
  });
});

test('the request id is ours, even if a client or a proxy sends one', async () => {
  await using shop = await startShop({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  const mine = 'their-own-number-0123';
  const answer = await sendCall(shop, 'listProducts', { headers: { 'x-request-id': mine } });
  expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
});

test('a page that fails unexpectedly shows the request id in its HTML and in its script data', async () => {
  await using shop = await startShop();
  const stripe = { secretKey: '', publishableKey: '', webhookSecrets: [], apiUrl: '', jsUrl: '' };
  const reported: unknown[] = [];
  const renderer = createRenderer({
    root: 'dist',
    manifest: readManifest('dist'),
    maxThreads: 1,
    report: () => expect.unreachable(),
    reportOutput: () => expect.unreachable(),
  });
  onTestFinished(renderer.stop);
  const pages = createPages({
    settings: toWebSettings(shop.config, { stripe, google: undefined }),
    readFrame: async () => emptyFrame,
    stripeApiUrl: '',
    root: 'dist',
    manifest: readManifest('dist'),
    renderer,
    report: (error, requestId) => reported.push([error, requestId]),
  });
  const page = await pages.servePage(new Request(shop.origin), {
    viewer: undefined,
    anonymous: true,
    requestId: 'the-number',
    // An error that is not a `Problem` breaks the error page, too.
    call: () => Promise.reject(new TypeError('unexpected failure')),
  });
  expect([page.status, reported]).toEqual([500, [[expect.any(TypeError), 'the-number']]]);
  const html = await page.text();
  expect(
    html.match(/If this keeps happening, send us this request ID: the-number\./g)?.length,
  ).toBeGreaterThanOrEqual(2);
  expect(html).not.toContain('unexpected failure');
});
