import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { listenOnFreePort } from './port.ts';

/** The parts of a Stripe account that the doctor reads. */
export type StripeAccount = {
  secretKey: string;
  publishableKeys: string[];
  chargesEnabled: boolean;
  intents: { id: string; client_secret: string }[];
  webhooks: { url: string; status: string; enabled_events: string[] }[];
  /** How far Stripe's clock is ahead of ours. */
  clockAheadMs: number;
};

/**
 * Starts a read-only server that responds as Stripe's API reference says (https://docs.stripe.com/api): lists, typed
 * errors, and 401 for unknown keys. It closes at the end of the test. Returns its origin.
 */
export async function startStripeAccount(account: StripeAccount): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe.test');
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const { status, body } = respond(
      account,
      request.method,
      pathname,
      key,
      searchParams.get('client_secret'),
    );
    const date = new Date(Date.now() + account.clockAheadMs).toUTCString();
    response.writeHead(status, { date, 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listenOnFreePort(server)}`;
}

type StripeResponse = { status: number; body: object };

function respond(
  account: StripeAccount,
  method: string | undefined,
  path: string,
  key: string,
  secret: string | null,
): StripeResponse {
  const list = (data: object[]) => ({ status: 200, body: { object: 'list', data, has_more: false } });
  if (path === '/discovery') return { status: 200, body: { token_endpoint: 'https://google.test/token' } };
  if (method !== 'GET') return stripeError(405, 'This account is read-only.');
  const intent = account.intents.find(({ id }) => path === `/v1/payment_intents/${id}`);
  if (key.startsWith('pk_test_') && path.startsWith('/v1/payment_intents/')) {
    if (!key.startsWith('pk_test_known')) return stripeError(401, 'Invalid API Key provided.');
    return intent && account.publishableKeys.includes(key) && secret === intent.client_secret
      ? { status: 200, body: intent }
      : stripeError(404, 'No such payment_intent.');
  }
  if (key !== account.secretKey) return stripeError(401, 'Invalid API Key provided.');
  if (path === '/v1/payment_intents') return list(account.intents);
  if (path === '/v1/account') return { status: 200, body: { charges_enabled: account.chargesEnabled } };
  if (path === '/v1/webhook_endpoints') return list(account.webhooks);
  return stripeError(404, `Unrecognized request URL (${method}: ${path}).`);
}

const stripeError = (status: number, message: string): StripeResponse => ({
  status,
  body: { error: { type: 'invalid_request_error', message } },
});
