import { expect, test } from 'vitest';
import { engines } from '../tests/support/database.ts';
import { startShop } from '../tests/support/shop.ts';
import { reviews } from './reviews.ts';

test('a database error while describing the demo accounts does not stop the shop', async () => {
  await using shop = await startShop({ demo: true });
  expect(await shop.describeDemo()).toContain('customer@example.com');
  await shop.database.db.schema.alterTable('account').renameTo('away').execute();
  expect(await shop.describeDemo()).toBe('');
});

test.each(engines)('on %s, the demo’s tools have the ratings of their reviews', async (engine) => {
  await using shop = await startShop({ demo: true, engine });
  const products = await shop.client().call('listProducts', { query: { limit: 100 } });
  const rated = products.filter(({ rating }) => rating);
  expect(rated.map(({ rating }) => rating?.count)).toEqual(reviews.map(() => 1));
  const winder = rated.find(({ name }) => name === 'Mainspring winder');
  expect(winder?.rating).toEqual({ average: 5, count: 1 });
  // All twelve reviews are listed, the newest first.
  const listed = await shop.client().call('listReviews', { query: { limit: 12 } });
  expect(listed.map(({ name }) => name)).toEqual(reviews.map(({ name }) => name).toReversed());
});
