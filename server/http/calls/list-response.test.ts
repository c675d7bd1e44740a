import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { contract } from '../../../contract/contract.ts';
import { apiBase } from '../../../contract/paths.ts';
import { engines } from '../../../tests/support/database.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const stored = { image: '/images/none', created_at: 1_790_000_000_000 };

/** Inserts rows directly: so many would be slow through the API. */
async function fill({ database: { db } }: TestShop, count: number, length: number): Promise<void> {
  const text = 'ö'.repeat(length);
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, index) => ({
      ...stored,
      id: uuidv7(),
      name: `${from + index}`,
    }));
    await db
      .insertInto('product')
      .values(
        rows.map((row) => ({
          ...row,
          description: text,
          price: 100,
          minimum: 1,
          available: 1,
        })),
      )
      .execute();
    await db
      .insertInto('review')
      .values(rows.map((row) => ({ ...row, id: uuidv7(), rating: 5, text })))
      .execute();
  }
}

describe.each(engines)('on %s', (engine) => {
  test('every list is paginated in order, without gaps or duplicates', async () => {
    await using shop = await startShop({ engine });
    const admin = await shop.admin();
    const tom = await shop.signUp();
    const product = await shop.addProduct({ price: 1, a_quantity: 100 });
    const [asTom, asAdmin] = [shop.client(tom), shop.client(admin)];
    const made: { [list: string]: string[] } = { products: [product._id], reviews: [], orders: [] };
    for (const at of [1, 2, 3, 4]) {
      const { img } = product;
      const { insertedId: review } = await asTom.call('addReview', {
        body: { rating: at, reviews: `${at}`, img },
      });
      made.reviews?.unshift(review);
      const { insertedId: order } = await asTom.call('placeOrder', {
        body: { orderId: product._id, orderQuantity: at, price: at, user: tom.email },
      });
      made.orders?.unshift(order);
      made.products?.push((await shop.addProduct({ name: `${at}` }))._id);
    }
    const people = (await asAdmin.call('listUsers', {})).map(({ _id }) => _id);
    expect(people).toHaveLength(3);
    expect(people).toEqual([...people].sort());

    for (const [name, headers, ids, query] of [
      ['listProducts', {}, made.products, {}],
      ['listReviews', {}, made.reviews, {}],
      ['listAllOrders', tokenHeaders(admin), made.orders, {}],
      ['listOwnOrders', tokenHeaders(tom), made.orders, { user: tom.email }],
      ['listUsers', tokenHeaders(admin), people, {}],
    ] as const) {
      for (const limit of [1, 2, 3, 1000]) {
        const found: string[] = [];
        let next: Record<string, string> | undefined = { ...query, limit: `${limit}` };
        while (next) {
          const response = await sendCall(shop, name, { query: next, headers });
          const rows: { _id: string }[] = await response.json();
          expect(rows.length).toBeGreaterThan(0);
          expect(rows.length).toBeLessThanOrEqual(limit);
          found.push(...rows.map(({ _id }) => _id));
          // The link can be followed as it is.
          const link = response.headers.get('link');
          const address = link && /^<(\/api\/[^>]+)>; rel="next"$/.exec(link)?.[1];
          if (link) expect(address).toBeTruthy();
          const url = address && new URL(address, shop.origin);
          if (url) expect(url.pathname).toBe(apiBase + contract[name].path);
          next = url ? Object.fromEntries(url.searchParams) : undefined;
          expect(next === undefined || next.limit === `${limit}`).toBe(true);
        }
        expect([name, limit, found]).toEqual([name, limit, ids]);
      }
      for (const limit of ['0', '-1', '1001', '2.5', 'x', '', '1e9']) {
        const refused = await readProblem(
          await sendCall(shop, name, { query: { ...query, limit }, headers }),
        );
        expect([limit, refused.status, refused.errors?.[0]?.field]).toEqual([limit, 422, 'limit']);
      }
      const end = await sendCall(shop, name, { query: { ...query, after: ids?.at(-1) ?? '' }, headers });
      expect([await end.json(), end.headers.get('link')]).toEqual([[], null]);
    }
  });

  test('a list response ends at 1,000 rows', async () => {
    await using shop = await startShop({ engine });
    await fill(shop, 1001, 1);
    for (const name of ['listProducts', 'listReviews'] as const) {
      const first = await shop.client().list(name, {});
      expect(first.rows).toHaveLength(1000);
      const rest = await shop.client().list(name, { query: { after: first.after } });
      expect([rest.rows.length, rest.after]).toEqual([1, undefined]);
    }
  });

  test('a list response ends at 1 MB', async () => {
    await using shop = await startShop({ engine });
    await fill(shop, 600, 2000);
    for (const name of ['listProducts', 'listReviews'] as const) {
      const found = new Set<string>();
      let after: string | undefined;
      do {
        const response = await sendCall(shop, name, { query: after ? { after } : {} });
        const body = await response.text();
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_000_000);
        const rows: { _id: string }[] = JSON.parse(body);
        for (const { _id } of rows) found.add(_id);
        const link = response.headers.get('link');
        after = link ? rows.at(-1)?._id : undefined;
        if (link) expect(link).toContain(`after=${after}`);
      } while (after);
      expect(found.size).toBe(600);
    }
  });
});
