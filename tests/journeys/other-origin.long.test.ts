import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getBrowser, openPage } from '../support/browser.ts';
import {
  fillCardField,
  orderFirstProduct,
  signUp,
  signUpWithGoogle,
  submitPayment,
  waitForTransactionId,
} from '../support/customer.ts';
import { startShopAndServices } from './stand-ins.ts';

// The sandbox cannot test this: its stand-ins share the shop's origin, which every security policy allows.

let browser: Browser;
let live: Awaited<ReturnType<typeof startShopAndServices>>;
beforeAll(async () => {
  [browser, live] = await Promise.all([getBrowser(), startShopAndServices()]);
  await live.shop.addProduct({ a_quantity: 100 });
});
afterAll(async () => {
  await live?.close();
});

/** A page that may send requests to the services' origin. A violation of the security policy fails the test. */
function open(expected: RegExp[] = []): Promise<Page> {
  const allowed = new RegExp(`^request to another origin: ${live.servicesOrigin}/`);
  return openPage(browser, live.shop.origin, { expected: [allowed, ...expected] });
}

test('a provider on another origin charges a card, under a policy that allows only that origin', async () => {
  const page = await open();
  const requests: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().startsWith(live.servicesOrigin))
      requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await signUp(page, 'Nora Newcomer', 'nora@example.com');
  expect(requests).toEqual([]);
  await orderFirstProduct(page);
  await fillCardField(page, '4000 0025 0000 3155');
  await submitPayment(page);
  const bank = page.frameLocator('iframe[title="3D Secure authentication"]');
  await bank.getByRole('button', { name: 'Complete authentication' }).click();
  const intent = await waitForTransactionId(page);
  const api = '/sandbox/stripe/v1/payment_intents';
  expect(requests).toEqual(
    expect.arrayContaining([
      'GET /sandbox/stripe/v3/',
      'GET /sandbox/stripe/v3/card.html',
      `POST ${api}/${intent}/confirm`,
      `POST ${api}/${intent}/authenticate`,
    ]),
  );
});

test('a signed webhook event alone marks an order paid', async () => {
  const page = await open();
  const email = 'ines@example.com';
  await signUp(page, 'Ines Vale', email);
  await orderFirstProduct(page);
  await fillCardField(page, '4242 4242 4242 4242');
  await page.route('**/api/orders/*', () => undefined);
  await submitPayment(page);
  const ines = live.shop.client(await live.shop.signIn(email, 'anchor-escapement'));
  await expect
    .poll(() => ines.call('listOwnOrders', { query: { user: email } }))
    .toMatchObject([{ paid: true }]);
});

test('Google signs a visitor in from another origin', async () => {
  const page = await open();
  await page.goto('/signup');
  await signUpWithGoogle(page);
  expect(new URL(page.url()).origin).toBe(live.shop.origin);
});

/**
 * Tries what a script on the page, even an injected one, may load from the services' origin. Each result is `allowed` or
 * the directive that blocks it (Trusted Types throw a TypeError).
 */
function probePolicy(page: Page, servicesOrigin: string) {
  return page.evaluate(async (origin) => {
    const attempt = (start: (allow: () => void) => void) =>
      new Promise<string>((resolve) => {
        const block = (event: SecurityPolicyViolationEvent) => resolve(event.effectiveDirective);
        document.addEventListener('securitypolicyviolation', block, { once: true });
        start(() => resolve('allowed'));
      }).catch((error: Error) => error.name);
    return {
      // The intent does not exist; only a script that may read the response sees the 404.
      call: await attempt((allow) => {
        fetch(`${origin}/sandbox/stripe/v1/payment_intents/pi_1?key=pk_test_a`)
          .then(({ status }) => status === 404 && allow())
          .catch(() => undefined);
      }),
      // A blocked frame fires `load` as well, but posts no message.
      frame: await attempt((allow) => {
        const frame = document.createElement('iframe');
        addEventListener('message', ({ source }) => source === frame.contentWindow && allow());
        frame.src = `${origin}/sandbox/stripe/v3/card.html#${encodeURIComponent(location.origin)}`;
        document.body.append(frame);
      }),
      script: await attempt((allow) => {
        const script = document.createElement('script');
        script.addEventListener('load', allow);
        script.src = `${origin}/sandbox/stripe/v3/`;
        document.body.append(script);
      }),
      markup: await attempt((allow) => {
        document.createElement('div').innerHTML = '<b></b>';
        allow();
      }),
    };
  }, servicesOrigin);
}

test('a page that takes cards may contact the provider on its origin; no other page may', async () => {
  const page = await open([/Content Security Policy|Trusted|status of 404|127\.0\.0\.2/]);
  await signUp(page, 'Eve Adler', 'eve@example.com');
  expect(await probePolicy(page, live.servicesOrigin)).toEqual({
    call: 'connect-src',
    frame: 'frame-src',
    script: 'TypeError',
    markup: 'TypeError',
  });
  await orderFirstProduct(page);
  await page.frameLocator('iframe').getByLabel('card number').waitFor();
  expect(await probePolicy(page, live.servicesOrigin)).toEqual({
    call: 'allowed',
    frame: 'allowed',
    script: 'allowed',
    markup: 'allowed',
  });
  // Any other origin stays blocked.
  expect(await probePolicy(page, live.servicesOrigin.replace('127.0.0.1', '127.0.0.2'))).toEqual({
    call: 'connect-src',
    frame: 'frame-src',
    script: 'script-src-elem',
    markup: 'allowed',
  });
});
