import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeDatabase } from '../../../tests/support/database.ts';
import { openDatabase } from '../../database/database.ts';
import { createProvider } from '../../shop/payments/provider.ts';
import { createPaymentCheck } from './payment-check.ts';

const settings = {
  secretKey: 'sk_test_1',
  publishableKey: 'pk_test_1',
  webhookSecrets: [],
  apiUrl: 'http://127.0.0.1',
  jsUrl: 'http://127.0.0.1',
};
const payment = {
  purchase_id: 'order',
  number: 'K7QD-2M4X',
  attempt: 1,
  amount: 100,
  currency: 'USD',
  created_at: 0,
};

const refuse = (error: object, status = 400) =>
  Response.json({ error: { type: 'invalid_request_error', ...error } }, { status });
const list = () => Response.json({ object: 'list', url: '/v1/payment_intents', has_more: false, data: [] });

/** A provider that gives these responses in turn and repeats the last one. If a response is undefined, the connection fails. */
async function open(...responses: ((request: Request) => Response | undefined)[]) {
  const recorded: unknown[][] = [];
  const check = createPaymentCheck((...note) => void recorded.push(note));
  let calls = 0;
  const send = async (request: Request) => {
    const response = responses[Math.min(calls, responses.length - 1)]?.(request);
    calls += 1;
    if (!response) throw Object.assign(new TypeError('fetch failed'), { code: 'ETIMEDOUT' });
    return response;
  };
  const provider = createProvider(settings, send, 'background', check.recordService);
  // The first call loads the package, in real time.
  await provider.readEvent('{}', '');
  const { place, drop } = await makeDatabase('sqlite', 'migrated');
  const database = await openDatabase(place);
  await check.start(provider.check, database);
  await database.close();
  await drop();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return {
    recorded,
    countCalls: () => calls,
    createIntent: () => provider.createIntent('shop', payment).catch(() => undefined),
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    stop: check.stop,
  };
}

/** Waits for a call and advances the clock meanwhile, because Stripe's client waits before it repeats a request. */
async function finish({ wait }: Awaited<ReturnType<typeof open>>, call: Promise<unknown>): Promise<void> {
  await wait(4000);
  await call;
}

test('a timeout that is followed by a success is no outage', async () => {
  let isDown = true;
  const opened = await open(() => (isDown ? undefined : list()));
  await finish(opened, opened.createIntent());
  expect(opened.recorded).toEqual([]);
  isDown = false;
  await opened.wait(6000);
  expect(opened.recorded).toEqual([['payments']]);
  const calls = opened.countCalls();
  await opened.wait(300_000);
  expect(opened.countCalls()).toBe(calls);
});

test('an outage is recorded within a minute, dated from its first failure, and ends even if nobody buys anything', async () => {
  let isDown = true;
  const opened = await open(() => (isDown ? undefined : list()));
  const began = Date.now();
  await finish(opened, opened.createIntent());
  await opened.wait(56_000);
  const [note = []] = opened.recorded;
  expect(note).toEqual(['payments', 'silent', expect.any(Number)]);
  expect(Number(note[2]) - began).toBeLessThanOrEqual(4000);
  await opened.wait(120_000);
  for (const other of opened.recorded) expect(other).toEqual(note);
  isDown = false;
  await opened.wait(70_000);
  expect(opened.recorded.at(-1)).toEqual(['payments']);
});

test.each([
  ['a declined card', refuse({ type: 'card_error', code: 'card_declined', message: 'declined' }, 402)],
  [
    'an amount that is too small',
    refuse({ code: 'amount_too_small', param: 'amount', message: 'too small' }),
  ],
])('%s is no outage', async (_, response) => {
  const opened = await open(() => response.clone());
  await finish(opened, opened.createIntent());
  await opened.wait(300_000);
  expect(opened.recorded).toEqual([['payments']]);
});

test.each([
  ['an account that may not take payments', refuse({ message: 'Your account cannot make live charges.' })],
  ['a key without the permission', refuse({ message: 'not allowed' }, 403)],
])('%s is recorded at once, because it affects every new payment', async (_, response) => {
  const opened = await open(() => response.clone());
  await finish(opened, opened.createIntent());
  expect(opened.recorded).toEqual([['payments'], ['new payments', 'refused']]);
});

describe.each([
  ['errors', 500, 'broken'],
  ['too many requests', 429, 'busy'],
] as const)('an outage of new payments only, with %s', (_, status, problem) => {
  const openCreating = async () => {
    const provider = { isFailing: true };
    const intent = () => Response.json({ object: 'payment_intent', id: 'pi_1' });
    const fail = () => refuse({ type: 'api_error', message: 'It failed.' }, status);
    const opened = await open(({ method }) =>
      method === 'GET' ? list() : provider.isFailing ? fail() : intent(),
    );
    const create = () => finish(opened, opened.createIntent());
    const listNew = () => opened.recorded.filter(([service]) => service === 'new payments');
    return { ...opened, provider, create, listNew };
  };

  test('is recorded after the second failure in a row, with the time of the first', async () => {
    const { create, wait, listNew } = await openCreating();
    const began = Date.now();
    await create();
    await wait(600_000);
    expect(listNew()).toEqual([]);
    await create();
    await wait(6000);
    const since = expect.any(Number);
    expect(listNew()).toEqual([['new payments', problem, since]]);
    expect(Number(listNew()[0]?.[2]) - began).toBeLessThanOrEqual(4000);
  });

  test('lasts until a payment is started, and then takes two failures again', async () => {
    const { create, wait, listNew, provider } = await openCreating();
    await create();
    await create();
    await wait(600_000);
    expect(listNew()).toHaveLength(1);
    provider.isFailing = false;
    await create();
    expect(listNew().at(-1)).toEqual(['new payments']);
    provider.isFailing = true;
    await create();
    await wait(6000);
    expect(listNew()).toHaveLength(2);
  });
});

test('an outage of all calls is recorded once, and not also as an outage of new payments', async () => {
  let isDown = true;
  const opened = await open(() => (isDown ? undefined : list()));
  for (const _ of ['first', 'second', 'third']) await finish(opened, opened.createIntent());
  await opened.wait(120_000);
  isDown = false;
  await opened.wait(70_000);
  expect(new Set(opened.recorded.map(([service]) => service))).toEqual(new Set(['payments']));
  expect(opened.recorded.at(-1)).toEqual(['payments']);
});

test('an exception of our own is recorded neither as a failure nor as a success', async () => {
  const recorded: unknown[][] = [];
  const send = async () => Response.json({ object: 'list', url: '/v1/refunds', has_more: false, data: [{}] });
  const provider = createProvider(settings, send, 'background', (...note) => void recorded.push(note));
  await expect(provider.listNewestRefunds()).rejects.toMatchObject({ code: 'unavailable' });
  expect(recorded).toEqual([]);
});

test('a check that is stopped makes no more calls', async () => {
  const opened = await open(() => undefined);
  await finish(opened, opened.createIntent());
  await opened.stop();
  const calls = opened.countCalls();
  await opened.wait(300_000);
  expect(opened.countCalls()).toBe(calls);
});
