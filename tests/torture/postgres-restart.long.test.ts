import { expect, onTestFinished, test } from 'vitest';
import { isUnavailable } from '../../server/database/errors.ts';
import { addProduct } from '../load/admin-actions.ts';
import { compareWithLedger } from '../load/comparison.ts';
import { placeOrder } from '../load/customer-actions.ts';
import { type Action, runLoad } from '../load/load.ts';
import { createLocalLoad } from '../load/local-load.ts';
import { startPostgres } from '../support/postgres.ts';
import { cookieHeaders, sendAuthRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

// Better Auth's adapter logs database errors to the console; while PostgreSQL is down they are expected.
function collectUnexpectedErrors(): unknown[] {
  const unexpected: unknown[] = [];
  const { error } = console;
  Object.assign(console, {
    error(error: unknown) {
      if (!isUnavailable(error)) unexpected.push(error);
    },
  });
  onTestFinished(() => void Object.assign(console, { error }));
  return unexpected;
}

test('a restart or crash of PostgreSQL under load loses no confirmed order, and the shop recovers by itself', async () => {
  const unexpected = collectUnexpectedErrors();
  const postgres = await startPostgres({ durable: true });
  try {
    await using shop = await startShop({ settings: { DATABASE_URL: postgres.url } });
    const tom = await shop.signUp();
    const load = await createLocalLoad([shop], { hasOutages: true });
    const { ledger } = load;
    await addProduct(load, 100_000);
    const outcomes = new Set<string>();
    let ended = false;

    const readRepeatedly = async () => {
      while (!ended) {
        const responses = {
          session: await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(tom)),
          page: await shop.send('/dashboard/myOrder', {}, tom),
          call: await shop.send(`/api/orders?limit=1&user=${encodeURIComponent(tom.email)}`, {}, tom),
        };
        for (const [name, { status, headers }] of Object.entries(responses))
          outcomes.add(`${name} ${status} ${headers.get('retry-after') ?? ''}`.trim());
        // An outage must not look like a signed-out session.
        if (responses.session.ok) expect(await responses.session.json()).not.toBe(null);
      }
    };
    const readers = [readRepeatedly(), readRepeatedly()];
    const waitForOrders = async () => {
      const before = ledger.orders.size;
      await expect.poll(() => ledger.orders.size).toBeGreaterThan(before + 20);
    };
    const countUnavailable = () => ledger.rejected.get('urn:problem:unavailable') ?? 0;
    await runLoad(load, Array<Action[]>(4).fill([placeOrder]), async () => {
      await waitForOrders();
      for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
        await postgres.shutDown(signal);
        const before = countUnavailable();
        await expect.poll(countUnavailable).toBeGreaterThan(before + 2);
        await expect.poll(() => [...outcomes].join()).toContain('503 5');
        expect((await shop.send('/healthz')).status).toBe(200);
        await postgres.restart();
        await waitForOrders();
      }
    });
    ended = true;
    await Promise.all(readers);

    expect(unexpected).toEqual([]);
    expect(ledger.unanswered).toBe(0);
    // `503 5` is the unavailable database, `503 1` a conflict. Which requests meet an outage is random.
    const allowed = ['200', '503 1', '503 5'];
    const possible = ['call', 'page', 'session'].flatMap((name) =>
      allowed.map((result) => `${name} ${result}`),
    );
    expect([...outcomes].filter((outcome) => !possible.includes(outcome))).toEqual([]);
    expect([...outcomes]).toEqual(expect.arrayContaining(['call 200', 'page 200', 'session 200']));
    expect([...outcomes].join()).toContain('503 5');
    expect(await compareWithLedger({ url: postgres.url }, load)).toEqual([]);
  } finally {
    await postgres.stop();
  }
}, 120_000);
