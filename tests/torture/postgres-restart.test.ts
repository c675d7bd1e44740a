import { expect, onTestFinished, test } from 'vitest';
import { isUnavailable } from '../../server/database/errors.ts';
import { askIdentity, byCookie } from '../support/ask.ts';
import { startPostgres } from '../support/postgres.ts';
import { startShop } from '../support/shop.ts';
import { startBuyers } from './buyers.ts';

// Better Auth's adapter prints what it throws on.
function watchComplaints(): unknown[] {
  const complaints: unknown[] = [];
  const { error } = console;
  Object.assign(console, {
    error(said: unknown) {
      if (!isUnavailable(said)) complaints.push(said);
    },
  });
  onTestFinished(() => void Object.assign(console, { error }));
  return complaints;
}

test('PostgreSQL restarted under load, or crashed: nothing answered is lost, and the shop serves on by itself', async () => {
  const complaints = watchComplaints();
  const postgres = await startPostgres({ durable: true });
  try {
    await using shop = await startShop({ settings: { DATABASE_URL: postgres.url } });
    const tom = await shop.signUp();
    const client = shop.client(tom);
    const stock = 100_000;
    const product = await shop.addProduct({ a_quantity: stock });
    const seen = new Set<string>();
    let over = false;

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
    const { answered, refused, done } = startBuyers(4, () => over, { client, person: tom, product });
    const looks = [look(), look()];
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
    await Promise.all([done, ...looks]);

    expect(complaints).toEqual([]);
    expect(new Set(refused)).toEqual(new Set(['urn:problem:unavailable']));
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
