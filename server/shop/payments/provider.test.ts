import { expect, onTestFinished, test, vi } from 'vitest';
import { runProgram } from '../../../tests/support/server.ts';
import { createProvider } from './provider.ts';

const settings = {
  secretKey: 'sk_test_1',
  publishableKey: 'pk_test_1',
  webhookSecrets: [],
  apiUrl: 'http://127.0.0.1',
  jsUrl: 'http://127.0.0.1',
};

const openProvider = (send: (request: Request) => Promise<Response>) =>
  createProvider(settings, send, 'person');

test.each([
  ['person', 2],
  ['background', 1],
] as const)(
  'for a %s, a provider that never responds fails after ten seconds and %d attempts',
  async (caller, most) => {
    let attempts = 0;
    // Like fetch without a response: it rejects only when aborted.
    const send = ({ signal }: Request) => {
      attempts += 1;
      return new Promise<Response>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    };
    const provider = createProvider(settings, send, caller);
    // The first call loads the package, in real time.
    await provider.readEvent('{}', '');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const result = provider.getIntent('pi_1').then(
      () => expect.unreachable('there was no response'),
      (error: unknown) => error,
    );
    await vi.advanceTimersByTimeAsync(most * 10_000 - 1000);
    expect(attempts).toBe(most);
    await vi.advanceTimersByTimeAsync(4000);
    expect(attempts).toBe(most);
    expect(await result).toMatchObject({ code: 'provider_unreachable', retryAfter: 5 });
  },
);

test('a request is repeated while another process is sending the same request', async () => {
  let attempts = 0;
  const inUse = { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'in progress' };
  const provider = openProvider(async () => {
    attempts += 1;
    return attempts < 9 ? Response.json({ error: inUse }, { status: 409 }) : Response.json({ id: 'pi_1' });
  });
  await provider.readEvent('{}', '');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const payment = {
    purchase_id: 'order',
    number: 'K7QD-2M4X',
    attempt: 1,
    amount: 100,
    currency: 'USD',
    created_at: Date.now(),
  };
  const created = provider.createIntent('shop', payment);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await created).toMatchObject({ id: 'pi_1' });
  expect(attempts).toBe(9);
});

test('a request that another process keeps sending is not refused, whatever the type of the error: it may yet succeed', async () => {
  const error = { type: 'invalid_request_error', code: 'idempotency_key_in_use', message: 'in progress' };
  const provider = openProvider(async () => Response.json({ error }, { status: 400 }));
  await provider.readEvent('{}', '');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const refund = {
    ...({ id: 'refund', intent: 'pi_1', amount: 100, reason: 'other' } as const),
    replaces: null,
    still_send: 0,
    lines: [],
  };
  const created = provider.createRefund('shop', refund).catch((thrown: unknown) => thrown);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await created).toMatchObject({ code: 'provider_unreachable' });
});

test('an endless response fails before it fills the memory', async () => {
  let chunks = 0;
  const provider = openProvider(async () => {
    const body = new ReadableStream({
      pull(controller) {
        chunks += 1;
        // Without a limit, the test ends here.
        if (chunks > 1000) controller.error(new Error('The response was read without a limit.'));
        else controller.enqueue(new Uint8Array(100_000).fill(32));
      },
    });
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  });
  await expect(provider.getIntent('pi_1')).rejects.toMatchObject({ code: 'provider_unreachable' });
  // At most two attempts, each of 10 MB plus read-ahead.
  expect(chunks).toBeLessThan(220);
});

test('the refusal message of the provider is shortened and has no NUL, because it is stored', async () => {
  const error = { type: 'invalid_request_error', message: `no\0pe ${'x'.repeat(100_000)}` };
  const provider = openProvider(async () => Response.json({ error }, { status: 400 }));
  await expect(provider.getIntent('pi_1')).rejects.toMatchObject({
    code: 'provider_refused',
    message: expect.stringMatching(/^The payment provider refused: nope x{490,500}$/),
  });
});

test('searching an account with too many intents fails with 503 after ten pages of 100', async () => {
  let pages = 0;
  const replayed = { 'idempotent-replayed': 'true', 'stripe-should-retry': 'false' };
  const provider = openProvider(async ({ method }) => {
    if (method === 'POST')
      return Response.json({ error: { type: 'api_error' } }, { status: 500, headers: replayed });
    pages += 1;
    const data = Array.from({ length: 100 }, (_, index) => ({ id: `pi_${pages}_${index}`, metadata: {} }));
    return Response.json({ object: 'list', url: '/v1/payment_intents', has_more: pages < 20, data });
  });
  const payment = {
    purchase_id: 'order',
    number: 'K7QD-2M4X',
    attempt: 1,
    amount: 100,
    currency: 'USD',
    created_at: Date.now(),
  };
  await expect(provider.createIntent('shop', payment)).rejects.toMatchObject({
    code: 'provider_unreachable',
  });
  expect(pages).toBe(10);
});

test('a call loads the Stripe package if an earlier call failed to load it', async () => {
  // A separate process, whose loader fails once.
  const program = `
    import { registerHooks } from 'node:module';
    let failed = 0;
    registerHooks({
      resolve(name, context, next) {
        if (name === 'stripe' && failed++ === 0) throw new Error('not there');
        return next(name, context);
      },
    });
    const { createProvider } = await import('./server/shop/payments/provider.ts');
    const provider = createProvider(${JSON.stringify({ ...settings, webhookSecrets: ['whsec_1'] })}, fetch, 'person');
    for (let call = 0; call < 2; call++)
      console.log(await provider.readEvent('{}', '').catch(({ message }) => message));
  `;
  const { out } = await runProgram(process.execPath, ['--input-type=module', '--eval', program], {}).ended;
  expect(out.trim().split('\n')).toEqual(['not there', 'undefined']);
});
