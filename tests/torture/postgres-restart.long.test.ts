import { expect, onTestFinished, test } from 'vitest';
import { isUnavailable } from '../../server/database/errors.ts';
import { startPostgres } from '../support/postgres.ts';
import { cookieHeaders, sendAuthRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';
import { startBuyers } from './buyers.ts';

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
    const client = shop.client(tom);
    const stock = 100_000;
    const product = await shop.addProduct({ a_quantity: stock });
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
    const { confirmed, rejected, done } = startBuyers(4, () => ended, { client, person: tom, product });
    const readers = [readRepeatedly(), readRepeatedly()];
    const waitForOrders = async () => {
      const before = confirmed.size;
      await expect.poll(() => confirmed.size).toBeGreaterThan(before + 20);
    };
    await waitForOrders();
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await postgres.shutDown(signal);
      const before = rejected.length;
      await expect.poll(() => rejected.length).toBeGreaterThan(before + 2);
      await expect.poll(() => [...outcomes].join()).toContain('503 5');
      expect((await shop.send('/healthz')).status).toBe(200);
      await postgres.restart();
      await waitForOrders();
    }
    ended = true;
    await Promise.all([done, ...readers]);

    expect(unexpected).toEqual([]);
    expect(new Set(rejected)).toEqual(new Set(['urn:problem:unavailable']));
    // `503 5` is the unavailable database, `503 1` a conflict. Which requests meet an outage is random.
    const allowed = ['200', '503 1', '503 5'];
    const possible = ['call', 'page', 'session'].flatMap((name) =>
      allowed.map((result) => `${name} ${result}`),
    );
    expect([...outcomes].filter((outcome) => !possible.includes(outcome))).toEqual([]);
    expect([...outcomes]).toEqual(expect.arrayContaining(['call 200', 'page 200', 'session 200']));
    expect([...outcomes].join()).toContain('503 5');
    const stored: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await client.list('listOwnOrders', { query: { user: tom.email, after } });
      stored.push(...page.rows.map(({ _id }) => _id));
      after = page.after;
      if (!after) break;
    }
    expect([...confirmed].filter((id) => !stored.includes(id))).toEqual([]);
    // Each of the four buyers may have been waiting for one response at the end.
    expect(stored.length - confirmed.size).toBeLessThanOrEqual(4);
    const { a_quantity } = await client.call('getProduct', { params: { id: product._id } });
    expect(a_quantity).toBe(stock - stored.length);
  } finally {
    await postgres.stop();
  }
}, 120_000);
