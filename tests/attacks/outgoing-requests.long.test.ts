import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { listenOnFreePort } from '../support/port.ts';
import { readAuthError, sendAuthRequest, sendRequest, tokenHeaders } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

/** Starts a server for the duration of the test; returns its origin. */
async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listenOnFreePort(server)}`;
}

/** Starts a server that redirects every request to another path on it; returns its origin and the requested paths. */
async function startRedirectServer() {
  const requested: string[] = [];
  const origin = await startServer((incoming, outgoing) => {
    requested.push(incoming.url ?? '');
    outgoing.writeHead(307, { location: '/stolen' }).end();
  });
  return { origin, requested };
}

test('the shop does not follow redirects of a service, so its keys stay private', async () => {
  const { origin, requested } = await startRedirectServer();
  await using shop = await startShop({
    settings: {
      SHOP_CURRENCY: 'USD',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_URL: origin,
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_CLIENT_SECRET: 'secret',
      GOOGLE_DISCOVERY_URL: `${origin}/discovery`,
      DATA_DIR: makeFolder(),
    },
  });
  const person = await shop.signUp();
  const product = await shop.addProduct();
  const body = { orderId: product._id, orderQuantity: 1, price: 12.5, user: person.email };
  await shop.client(person).call('placeOrder', { body });
  const headers = tokenHeaders(person);
  const paid = await sendRequest(shop, 'POST', '/api/create-payment-intent', {
    body: { price: 12.5 },
    headers,
  });
  expect(paid.status).toBe(503);
  const google = await sendAuthRequest(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' });
  expect(google.status).toBe(503);
  expect(new Set(requested)).toEqual(new Set(['/v1/account', '/v1/payment_intents', '/discovery']));
});

test('the shop never fetches a URL from user input', async () => {
  const { origin, requested } = await startRedirectServer();
  await using shop = await startShop();
  const admin = await shop.admin();
  const headers = tokenHeaders(admin);
  const { img: _, ...product } = { ...(await shop.addProduct()), email: admin.email };
  for (const img of [
    `${origin}/a.png`,
    `//${new URL(origin).host}/a.png`,
    `${origin}/images/x-960.webp`,
    'file:///etc/passwd',
  ]) {
    expect(
      (await sendRequest(shop, 'POST', '/api/product', { body: { ...product, img }, headers })).status,
    ).toBe(422);
    const review = { rating: 5, reviews: 'R', img };
    expect((await sendRequest(shop, 'POST', '/api/review', { body: review, headers })).status).toBe(422);
  }
  const profile = { address: origin, phone: origin, education: origin, linkedIn: 'in/tom' };
  await sendRequest(shop, 'PUT', `/api/user/${admin.email}`, { body: profile, headers });
  await sendAuthRequest(shop, '/sign-up/email', {
    name: 'A',
    email: 'a@b.example',
    password: 'abcdef-ghi',
    image: origin,
    callbackURL: origin,
  });
  for (const path of ['/', '/dashboard', '/myPortfolio'])
    await sendRequest(shop, 'GET', path, { headers: { cookie: admin.cookie } });
  expect(requested).toEqual([]);
});

test('a discovery document with another issuer is rejected', async () => {
  const origin = await startServer((incoming, outgoing) => {
    const ownOrigin = `http://${incoming.headers.host}`;
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(
      JSON.stringify({
        issuer: 'https://accounts.google.example',
        authorization_endpoint: `${ownOrigin}/auth`,
        token_endpoint: `${ownOrigin}/token`,
        userinfo_endpoint: `${ownOrigin}/me`,
        jwks_uri: `${ownOrigin}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    );
  });
  await using shop = await startShop({
    allowErrorLogs: true,
    settings: {
      SHOP_CURRENCY: 'USD',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_CLIENT_SECRET: 'secret',
      GOOGLE_DISCOVERY_URL: `${origin}/.well-known/openid-configuration`,
    },
  });
  for (const _ of [1, 2]) {
    const google = await sendAuthRequest(shop, '/sign-in/social', { provider: 'google', callbackURL: '/' });
    expect([google.status, (await readAuthError(google)).message]).toEqual([
      503,
      expect.stringMatching(/^Google sign-in is not available/),
    ]);
  }
  // A configuration error is logged only once.
  const errors = shop.logged.filter(({ level }) => level === 50);
  expect(errors.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/GOOGLE_DISCOVERY_URL .*accounts\.google\.example/),
  ]);
});
