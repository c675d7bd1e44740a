import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { findFreePort } from './port.ts';

/** What an account of Stripe's has, of all that the doctor asks for. */
export type Account = {
  secretKey: string;
  publishableKeys: string[];
  chargesEnabled: boolean;
  intents: { id: string; client_secret: string }[];
  webhooks: { url: string; status: string; enabled_events: string[] }[];
  /** How far its clock is ahead of ours, in milliseconds. */
  ahead: number;
};

/**
 * A server that answers as Stripe's reference says (https://docs.stripe.com/api): lists, errors by their types,
 * 401 for keys that are not its own. It ends with the test; only reading is known to it.
 */
export async function openAccount(account: Account): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe.test');
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const answer = answerCall(account, request.method, pathname, key, searchParams.get('client_secret'));
    const date = new Date(Date.now() + account.ahead).toUTCString();
    response.writeHead(answer.status, { date, 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
  const port = await findFreePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}`;
}

type Answer = { status: number; body: object };

function answerCall(
  account: Account,
  method: string | undefined,
  path: string,
  key: string,
  secret: string | null,
): Answer {
  const list = (data: object[]) => ({ status: 200, body: { object: 'list', data, has_more: false } });
  if (path === '/discovery') return { status: 200, body: { token_endpoint: 'https://google.test/token' } };
  if (method !== 'GET') return refusal(405, 'This account is only read.');
  const intent = account.intents.find(({ id }) => path === `/v1/payment_intents/${id}`);
  if (key.startsWith('pk_test_') && path.startsWith('/v1/payment_intents/')) {
    if (!key.startsWith('pk_test_known')) return refusal(401, 'Invalid API Key provided.');
    return intent && account.publishableKeys.includes(key) && secret === intent.client_secret
      ? { status: 200, body: intent }
      : refusal(404, 'No such payment_intent.');
  }
  if (key !== account.secretKey) return refusal(401, 'Invalid API Key provided.');
  if (path === '/v1/payment_intents') return list(account.intents);
  if (path === '/v1/account') return { status: 200, body: { charges_enabled: account.chargesEnabled } };
  if (path === '/v1/webhook_endpoints') return list(account.webhooks);
  return refusal(404, `Unrecognized request URL (${method}: ${path}).`);
}

const refusal = (status: number, message: string): Answer => ({
  status,
  body: { error: { type: 'invalid_request_error', message } },
});
