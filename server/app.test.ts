import { describe, expect, test } from 'vitest';
import { cookieHeaders, readProblem, sendCall, sendRequest } from '../tests/support/requests.ts';
import { startShop } from '../tests/support/shop.ts';

describe('a URL', () => {
  test('longer than 4,000 characters is rejected; shorter ones never make headers longer than clients accept', async () => {
    await using shop = await startShop();
    const tail = (length: number) => `?${'&'.repeat(length - shop.origin.length - '/dashboard?'.length)}`;
    const response = await sendRequest(shop, 'GET', `/dashboard${tail(4000)}`);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')?.length).toBeLessThan(12_500);
    const problem = await readProblem(await sendRequest(shop, 'GET', `/dashboard${tail(4001)}`));
    expect(problem).toMatchObject({ status: 414, type: 'urn:problem:too_long' });
  });

  test('in the Link header of a list has only query parameters that the call defines', async () => {
    await using shop = await startShop();
    const admin = await shop.admin();
    await shop.signUp();
    const options = { query: { limit: ' 1', odd: "'".repeat(1000) }, headers: cookieHeaders(admin) };
    const response = await sendCall(shop, 'listUsers', options);
    expect(response.headers.get('link')).toMatch(/^<\/api\/user\?limit=1&after=[\w-]{36}>; rel="next"$/);
  });
});
