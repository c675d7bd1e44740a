import { describe, expect, test } from 'vitest';
import { ask, askPath, byCookie, readProblem } from '../tests/support/ask.ts';
import { startShop } from '../tests/support/shop.ts';

describe('an address', () => {
  test('of more than 4,000 characters is refused, and one of less is never answered with more than a client reads', async () => {
    await using shop = await startShop();
    const tail = (length: number) => `?${'&'.repeat(length - shop.origin.length - '/dashboard?'.length)}`;
    const answers = await askPath(shop, 'GET', `/dashboard${tail(4000)}`);
    expect(answers.status).toBe(302);
    expect(answers.headers.get('location')?.length).toBeLessThan(12_500);
    const refused = await readProblem(await askPath(shop, 'GET', `/dashboard${tail(4001)}`));
    expect(refused).toMatchObject({ status: 414, type: 'urn:problem:too_long' });
  });

  test('of a list goes on with what the list takes, and nothing else that was asked', async () => {
    await using shop = await startShop();
    const admin = await shop.admin();
    await shop.signUp();
    const given = { query: { limit: ' 1', odd: "'".repeat(1000) }, headers: byCookie(admin) };
    const response = await ask(shop, 'listUsers', given);
    expect(response.headers.get('link')).toMatch(/^<\/api\/user\?limit=1&after=[\w-]{36}>; rel="next"$/);
  });
});
