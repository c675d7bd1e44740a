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

test('a provider that never answers is given up, after three tries of ten seconds', async () => {
  let tries = 0;
  // As fetch does where no answer comes: it ends when it is told to.
  const provider = createProvider(settings, ({ signal }) => {
    tries += 1;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  // The package is loaded by the first call, in real time.
  await provider.readEvent('{}', '');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked = provider.getIntent('pi_1').then(
    () => expect.unreachable('nobody answered'),
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(29_000);
  expect(tries).toBe(3);
  await vi.advanceTimersByTimeAsync(6000);
  expect(await asked).toMatchObject({ code: 'provider_unreachable', retryAfter: 5 });
});

test('an account of too many intents to look through is 503, after ten pages of a hundred', async () => {
  let pages = 0;
  const replayed = { 'idempotent-replayed': 'true', 'stripe-should-retry': 'false' };
  const provider = createProvider(settings, async ({ method }) => {
    if (method === 'POST')
      return Response.json({ error: { type: 'api_error' } }, { status: 500, headers: replayed });
    pages += 1;
    const data = Array.from({ length: 100 }, (_, at) => ({ id: `pi_${pages}_${at}`, metadata: {} }));
    return Response.json({ object: 'list', url: '/v1/payment_intents', has_more: pages < 20, data });
  });
  const metadata = { shop: 'shop', order: 'order' };
  const asked = { amount: 100, currency: 'USD', metadata, key: 'key', since: Date.now() };
  await expect(provider.createIntent(asked)).rejects.toMatchObject({ code: 'provider_unreachable' });
  expect(pages).toBe(10);
});

test('where the package could not be loaded the next call loads it', async () => {
  // In a process of its own, whose loader fails once.
  const program = `
    import { registerHooks } from 'node:module';
    let failed = 0;
    registerHooks({
      resolve(name, context, next) {
        if (name === 'stripe' && failed++ === 0) throw new Error('not there');
        return next(name, context);
      },
    });
    const { openProvider } = await import('./server/payments/provider.ts');
    const provider = openProvider(${JSON.stringify({ ...settings, webhookSecrets: ['whsec_1'] })}, fetch);
    for (let time = 0; time < 2; time++)
      console.log(await provider.readEvent('{}', '').catch(({ message }) => message));
  `;
  const { out } = await runProgram(process.execPath, ['--input-type=module', '--eval', program], {}).ended;
  expect(out.trim().split('\n')).toEqual(['not there', 'undefined']);
});
