import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { isAway } from '../../server/database/trouble.ts';
import { CallFailed } from '../../web/client.ts';
import { askIdentity, byCookie } from '../support/ask.ts';
import { startPostgres } from '../support/postgres.ts';
import { startShop } from '../support/shop.ts';

// Better Auth's adapter prints what it throws on.
function watchComplaints(): unknown[] {
  const complaints: unknown[] = [];
  const { error } = console;
  Object.assign(console, {
    error(said: unknown) {
      if (!isAway(said)) complaints.push(said);
    },
  });
  onTestFinished(() => void Object.assign(console, { error }));
  return complaints;
}

/** As a real one is set; the tests' own may lose what it has answered when it crashes. */
async function makeDurable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('alter database postgres set synchronous_commit = on');
  await client.end();
}

test('PostgreSQL restarted under load, or crashed: nothing answered is lost, and the shop serves on by itself', async () => {
  const complaints = watchComplaints();
  const postgres = await startPostgres();
  try {
    await makeDurable(postgres.url);
    await using shop = await startShop({ settings: { DATABASE_URL: postgres.url } });
    const tom = await shop.signUp();
    const client = shop.client(tom);
    const stock = 100_000;
    const product = await shop.addProduct({ a_quantity: stock });
    const answered = new Set<string>();
    const refused: unknown[] = [];
    const seen = new Set<string>();
    let over = false;

    const buy = async () => {
      const body = { orderId: product._id, orderQuantity: 1, price: product.price, user: tom.email };
      while (!over) {
        const idempotencyKey = randomUUID();
        // Sent until it is answered: the same key is the same order, even where the commit was in doubt.
        for (let done = false; !done && !over; ) {
          try {
            answered.add((await client.call('placeOrder', { body, idempotencyKey })).insertedId);
            done = true;
          } catch (error) {
            refused.push(error instanceof CallFailed ? error.problem.status : error);
          }
        }
      }
    };
    const look = async () => {
      while (!over) {
        const asked = {
          session: await askIdentity(shop, '/get-session', undefined, byCookie(tom)),
          page: await shop.send('/dashboard/myOrder', {}, tom),
          call: await shop.send(`/api/orders?limit=1&user=${encodeURIComponent(tom.email)}`, {}, tom),
        };
        for (const [what, { status, headers }] of Object.entries(asked))
          seen.add(`${what} ${status} ${headers.get('retry-after') ?? ''}`.trim());
        // Nobody is told that they are signed out.
        if (asked.session.ok) expect(await asked.session.json()).not.toBe(null);
      }
    };
    const load = [buy(), buy(), buy(), buy(), look(), look()];
    const serves = async () => {
      const before = answered.size;
      await expect.poll(() => answered.size).toBeGreaterThan(before + 20);
    };
    await serves();
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await postgres.shutDown(signal);
      const before = refused.length;
      await expect.poll(() => refused.length).toBeGreaterThan(before + 2);
      expect((await shop.send('/healthz')).status).toBe(200);
      await postgres.startAgain();
      await serves();
    }
    over = true;
    await Promise.all(load);

    expect(complaints).toEqual([]);
    expect(new Set(refused)).toEqual(new Set([503]));
    // 5 where the database was away, 1 where two statements met; which kinds were asked meanwhile is chance.
    const allowed = ['200', '503 1', '503 5'];
    const possible = ['call', 'page', 'session'].flatMap((what) => allowed.map((how) => `${what} ${how}`));
    expect([...seen].filter((one) => !possible.includes(one))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(['call 200', 'page 200', 'session 200']));
    expect([...seen].join()).toContain('503 5');
    const stored: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await client.list('listOwnOrders', { query: { user: tom.email, after } });
      stored.push(...page.rows.map(({ _id }) => _id));
      after = page.after;
      if (!after) break;
    }
    expect([...answered].filter((id) => !stored.includes(id))).toEqual([]);
    // At most the one that each of the four had under way at the end is nobody's.
    expect(stored.length - answered.size).toBeLessThanOrEqual(4);
    const { a_quantity } = await client.call('getProduct', { params: { id: product._id } });
    expect(a_quantity).toBe(stock - stored.length);
  } finally {
    await postgres.stop();
  }
});
