import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getBrowser, visit } from '../support/browser.ts';
import { comeFromGoogle, congratulated, fillCard, order, pay, signUp } from '../support/customer.ts';
import { startShopAndServices } from './stand-ins.ts';

// What the sandbox cannot show: its stand-ins are on the shop's own origin, where every policy lets everything in.

let browser: Browser;
let live: Awaited<ReturnType<typeof startShopAndServices>>;
beforeAll(async () => {
  [browser, live] = await Promise.all([getBrowser(), startShopAndServices()]);
  await live.shop.addProduct({ a_quantity: 100 });
});
afterAll(async () => {
  await live.close();
});

/** A visitor for whom requests to the services' origin are none to elsewhere; a breach of the policy is an error. */
function open(expected: RegExp[] = []): Promise<Page> {
  const allowed = new RegExp(`^request to elsewhere: ${live.services}/`);
  return visit(browser, live.shop.origin, { expected: [allowed, ...expected] });
}

test('a card is charged by a provider on another origin, under the policy that lets in just that', async () => {
  const page = await open();
  const asked: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().startsWith(live.services))
      asked.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await signUp(page, 'Nora Newcomer', 'nora@example.com');
  await order(page);
  expect(asked).toEqual([]);
  await fillCard(page, '4000 0025 0000 3155');
  await pay(page);
  const bank = page.frameLocator('iframe[title="3D Secure authentication"]');
  await bank.getByRole('button', { name: 'Complete authentication' }).click();
  const intent = await congratulated(page);
  const api = '/sandbox/stripe/v1/payment_intents';
  expect(asked).toEqual(
    expect.arrayContaining([
      'GET /sandbox/stripe/v3/',
      'GET /sandbox/stripe/v3/card.html',
      `POST ${api}/${intent}/confirm`,
      `POST ${api}/${intent}/authenticate`,
    ]),
  );
});

test('an order is paid by the signed event alone, which comes over the network', async () => {
  const page = await open();
  const email = 'ines@example.com';
  await signUp(page, 'Ines Vale', email);
  await order(page);
  await fillCard(page, '4242 4242 4242 4242');
  await page.route('**/api/orders/*', () => undefined);
  await pay(page);
  const ines = live.shop.client(await live.shop.signIn(email, 'anchor-escapement'));
  await expect
    .poll(() => ines.call('listOwnOrders', { query: { user: email } }), { timeout: 10_000 })
    .toMatchObject([{ paid: true }]);
});

test('Google signs somebody in from another origin', async () => {
  const page = await open();
  await page.goto('/signup');
  await comeFromGoogle(page);
  expect(new URL(page.url()).origin).toBe(live.shop.origin);
});

/**
 * What a script on the page may do with the services' origin, an injected one too: `let in`, or the part of the
 * policy that refuses it (Trusted Types throw a TypeError).
 */
function probe(page: Page, services: string) {
  return page.evaluate(async (origin) => {
    const attempt = (start: (letIn: () => void) => void) =>
      new Promise<string>((resolve) => {
        const refuse = (event: SecurityPolicyViolationEvent) => resolve(event.effectiveDirective);
        document.addEventListener('securitypolicyviolation', refuse, { once: true });
        start(() => resolve('let in'));
      }).catch((error: Error) => error.name);
    return {
      // Such an intent is not there. Only who may read the answer learns that.
      call: await attempt((letIn) => {
        fetch(`${origin}/sandbox/stripe/v1/payment_intents/pi_1?key=pk_test_a`)
          .then(({ status }) => status === 404 && letIn())
          .catch(() => undefined);
      }),
      // A frame that is refused loads as well, and says nothing.
      frame: await attempt((letIn) => {
        const frame = document.createElement('iframe');
        addEventListener('message', ({ source }) => source === frame.contentWindow && letIn());
        frame.src = `${origin}/sandbox/stripe/v3/card.html#${encodeURIComponent(location.origin)}`;
        document.body.append(frame);
      }),
      script: await attempt((letIn) => {
        const script = document.createElement('script');
        script.addEventListener('load', letIn);
        script.src = `${origin}/sandbox/stripe/v3/`;
        document.body.append(script);
      }),
      markup: await attempt((letIn) => {
        document.createElement('div').innerHTML = '<b></b>';
        letIn();
      }),
    };
  }, services);
}

test('a page that takes cards may talk to the provider, across origins; every other page may not', async () => {
  const page = await open([/Content Security Policy|Trusted|status of 404|127\.0\.0\.2/]);
  await signUp(page, 'Eve Adler', 'eve@example.com');
  expect(await probe(page, live.services)).toEqual({
    ...{ call: 'connect-src', frame: 'frame-src', script: 'TypeError', markup: 'TypeError' },
  });
  await order(page);
  await page.getByRole('link', { name: /^Pay for / }).click();
  await page.frameLocator('iframe').getByLabel('card number').waitFor();
  expect(await probe(page, live.services)).toEqual({
    ...{ call: 'let in', frame: 'let in', script: 'let in', markup: 'let in' },
  });
  // Nor does it get anywhere else.
  expect(await probe(page, live.services.replace('127.0.0.1', '127.0.0.2'))).toEqual({
    ...{ call: 'connect-src', frame: 'frame-src', script: 'script-src-elem', markup: 'let in' },
  });
});
