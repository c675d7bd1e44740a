import type { Product } from '../../../../../contract/catalogue/products.ts';
import type { StockChange } from '../../../../../contract/catalogue/stock.ts';
import { dayMs } from '../../../../../contract/durations.ts';
import { ApiError, type Client } from '../../../../client/api/client.ts';

/** The URL's query, starting with `?`, without empty values. */
export const toSearch = (fields: Record<string, string>): string =>
  `?${new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''))}`;

/** Products counted within this many days are left out of the list. */
export const countedDays = 7;

export async function readCounts(client: Client, signal: AbortSignal): Promise<Map<string, StockChange>> {
  const since = Date.now() - countedDays * dayMs;
  const latest = new Map<string, StockChange>();
  let after: string | undefined;
  do {
    const page = await client.list('listStock', {
      query: { reason: 'count', limit: 1000, ...(after ? { after } : {}) },
      signal,
    });
    for (const row of page.rows) {
      if (Date.parse(row.createdAt) < since) return latest;
      if (!latest.has(row.product)) latest.set(row.product, row);
    }
    after = page.after;
  } while (after);
  return latest;
}

const rowsPerPage = 50;

type Found = { rows: Product[]; hasMore: boolean };

/** The first products of a category, or of all categories, that are not `counted`. */
export async function listToCount(
  client: Client,
  category: string,
  counted: ReadonlyMap<string, unknown>,
  signal: AbortSignal,
): Promise<Found> {
  const found: Product[] = [];
  let after: string | undefined;
  do {
    const query = { category, sort: 'name' as const, limit: 200, ...(after ? { after } : {}) };
    const page = await client.list('listProducts', { query, bearer: true, signal });
    found.push(...page.rows.filter(({ _id }) => !counted.has(_id)));
    after = page.after;
  } while (after && found.length <= rowsPerPage);
  return { rows: found.slice(0, rowsPerPage), hasMore: found.length > rowsPerPage };
}

/** The products that a search finds, counted or not: a product's id, which a code may contain, or words. */
export async function findToCount(
  client: Client,
  q: string,
  category: string,
  signal: AbortSignal,
): Promise<Found> {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(q)) {
    const params = { id: q.toLowerCase() };
    const product = await client
      .call('getProduct', { params, bearer: true, signal })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.problem.status === 404) return undefined;
        throw error;
      });
    return { rows: product ? [product] : [], hasMore: false };
  }
  const query = { q, category, limit: rowsPerPage };
  const page = await client.list('listProducts', { query, bearer: true, signal });
  return { rows: page.rows, hasMore: page.after !== undefined };
}
