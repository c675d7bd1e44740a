import type Stripe from 'stripe';
import type { CallContext, StripeCall } from './call.ts';
import { findCall } from './calls.ts';
import { runTransaction } from './change.ts';
import { invalidRequest, StripeApiError, type StripeResponse, toErrorResponse } from './errors.ts';
import { apiVersion } from './events.ts';
import { connectionError, type Faults } from './faults.ts';
import {
  canonicalForm,
  findText,
  parseForm,
  readForm,
  rejectUnknownParams,
  type StripeForm,
} from './form.ts';
import { type ReplayableResponse, runIdempotently, type StoreResponse } from './idempotency.ts';
import { getObject } from './objects.ts';
import { newId, type StripeDatabase, type StripeKeys } from './tables.ts';

/** The stand-in's API at `base`/v1. `afterChange` is called after each commit. */
export function createApi(options: {
  db: StripeDatabase;
  keys: StripeKeys;
  faults: Faults;
  afterChange: () => void;
}) {
  const { db, keys, faults, afterChange } = options;

  return async function handleApi(request: Request, base: string, path: string): Promise<Response> {
    const requestId = newId('req');
    if (request.method === 'OPTIONS') return respond({ status: 204, body: {} }, requestId);
    const match = findCall(request.method, path);
    const fault = match && faults.take(match.call.name, match.id);
    if (fault?.how === 'unreachable') throw connectionError('ECONNREFUSED');
    let publishable = false;
    const response = await catchApiErrors(async () => {
      if (!match) throw invalidRequest(`Unrecognized request URL (${request.method}: ${path}).`, {}, 404);
      if (fault?.how === 500) throw createApiError();
      if (fault?.how === 400) throw invalidRequest('This request is not valid.');
      if (fault?.how === 403)
        throw invalidRequest('The key does not have the required permissions.', {}, 403);
      if (fault?.how === 429)
        throw invalidRequest('Request rate limit exceeded.', { code: 'rate_limit' }, 429);
      const isChange = request.method === 'POST';
      const encoded = isChange ? await readForm(request) : new URL(request.url).search.slice(1);
      const form = parseForm(encoded);
      publishable = authenticate(request, form, match.call);
      checkVersion(request);
      rejectUnknownParams(form, match.call.params);
      const key = isChange ? request.headers.get('idempotency-key') : null;
      const context = {
        keys,
        form,
        base,
        requestId,
        id: match.id,
        idempotencyKey: key,
        processing: fault?.how === 'processing',
      };
      if (publishable) await checkClientSecret(context);
      const run = async (store?: StoreResponse) => {
        if (fault?.how === 'slow') await fault.meanwhile();
        if (fault?.how === 'stored-500') return storeFailure(store);
        return isChange ? change(context, match.call, store) : match.call.handle({ ...context, db });
      };
      return key
        ? runIdempotently(db, { key, id: requestId, fingerprint: `${path}\n${canonicalForm(form)}` }, run)
        : run();
    });
    if (fault?.how === 'timeout-after-success') throw connectionError('ETIMEDOUT');
    const visible = publishable ? withoutSecrets(response) : response;
    return respond(visible, requestId, request.headers.get('idempotency-key'));
  };

  /** A failure after validation is stored under the idempotency key, like any other response. */
  async function storeFailure(store?: StoreResponse): Promise<StripeResponse> {
    const { status, error } = createApiError();
    const response = toErrorResponse(status, error);
    await store?.(db, response);
    return response;
  }

  async function change(
    context: Omit<CallContext, 'db'>,
    call: StripeCall,
    store?: StoreResponse,
  ): Promise<StripeResponse> {
    const response = await runTransaction(db, async (transaction) => {
      const result = await call.handle({ ...context, db: transaction });
      await store?.(transaction, result);
      return result;
    });
    afterChange();
    return response;
  }

  /** Checks the API key and removes `key` from the form. Returns true for a publishable key. */
  function authenticate(request: Request, form: StripeForm, call: StripeCall): boolean {
    const key = readKey(request) ?? findText(form, 'key');
    delete form.key;
    if (key === keys.secretKey) return false;
    if (!key) throw invalidRequest('You did not provide an API key.', {}, 401);
    if (!key.startsWith('pk_test_')) {
      throw invalidRequest(`Invalid API Key provided: ${key.slice(0, 8)}***${key.slice(-4)}`, {}, 401);
    }
    if (!call.publishable) {
      const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.';
      throw invalidRequest(message, { code: 'secret_key_required' }, 401);
    }
    return true;
  }

  async function checkClientSecret({ id, form }: Omit<CallContext, 'db'>): Promise<void> {
    if (!id) return;
    const { object } = await getObject(db, 'payment_intent', id, 'intent');
    if (object.client_secret === findText(form, 'client_secret')) return;
    const message =
      'The client_secret provided does not match the client_secret associated with the PaymentIntent.';
    throw invalidRequest(message, { code: 'payment_intent_invalid_parameter', param: 'client_secret' });
  }

  async function catchApiErrors(work: () => Promise<ReplayableResponse>): Promise<ReplayableResponse> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StripeApiError) return toErrorResponse(error.status, error.error);
      throw error;
    }
  }
}

/** Only one version is supported; it is also the account's default. https://docs.stripe.com/api/versioning */
function checkVersion(request: Request): void {
  const version = request.headers.get('stripe-version') ?? apiVersion;
  if (version !== apiVersion) throw invalidRequest(`Invalid Stripe API version: ${version}`);
}

const createApiError = () => new StripeApiError(500, { type: 'api_error', message: 'An error occurred.' });

function readKey(request: Request): string | undefined {
  const [scheme, credentials = ''] = (request.headers.get('authorization') ?? '').split(' ');
  if (scheme?.toLowerCase() === 'bearer') return credentials;
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  return Buffer.from(credentials, 'base64').toString().split(':')[0];
}

const publicFields = [
  'id,object,amount,automatic_payment_methods,canceled_at,cancellation_reason,capture_method,client_secret',
  'confirmation_method,created,currency,description,last_payment_error,livemode,next_action,payment_method',
  'payment_method_types,processing,receipt_email,setup_future_usage,shipping,source,status',
]
  .join()
  .split(',');

/** Removes a payment intent's secret fields for a publishable key, also inside errors. */
function withoutSecrets(response: ReplayableResponse): ReplayableResponse {
  const body: object = JSON.parse(
    JSON.stringify(response.body, (_, value: Stripe.PaymentIntent | undefined) => {
      if (value?.object !== 'payment_intent') return value;
      return Object.fromEntries(Object.entries(value).filter(([name]) => publicFields.includes(name)));
    }),
  );
  return { ...response, body };
}

function respond(response: ReplayableResponse, requestId: string, key?: string | null): Response {
  const headers = new Headers({
    'request-id': requestId,
    'stripe-version': apiVersion,
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    // Requests authenticate by key, never by cookie, so any origin is allowed, as with Stripe.
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, stripe-version',
  });
  if (key) headers.set('idempotency-key', key);
  if (response.original) {
    headers.set('idempotent-replayed', 'true');
    headers.set('original-request', response.original);
  }
  const body = response.status === 204 ? null : JSON.stringify(response.body, null, 2);
  return new Response(body, { status: response.status, headers });
}
