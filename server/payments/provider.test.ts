import { expect, onTestFinished, test, vi } from 'vitest';
import { openProvider } from './provider.ts';

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
  const provider = openProvider(settings, ({ signal }) => {
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
