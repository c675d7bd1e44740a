import type { Context } from 'hono';
import type { Call } from '../../contract/call.ts';
import type { Env } from './visit.ts';

/** The most that a list answers over HTTP: 1,000 rows or 1 MB, whichever is first. Pages ask for 200 rows at most. */
const mostRows = 1000;
const mostBytes = 1_000_000;

/** How many rows a query of a list fetches: one more than it shows, which tells whether more follows. */
export function toSqlLimit(query: { limit?: number | undefined }): number {
  return (query.limit ?? mostRows) + 1;
}

/** A call's answer over HTTP; of a list as many rows as fit, with a `Link` to the next. */
export function createCallResponse(c: Context<Env>, call: Call, answer: unknown): Response {
  const isPublic = call.access === 'everyone' && call.method === 'GET' && c.env.anonymous;
  const headers = {
    'cache-control': `${isPublic ? 'public' : 'private'}, no-cache`,
    vary: 'Cookie, Authorization',
  };
  if (!Array.isArray(answer)) return Response.json(answer, { status: call.status ?? 200, headers });
  const all = paginate(answer, c.req.query('limit'));
  const rows: string[] = [];
  let size = 2;
  for (const row of all.rows) {
    const text = JSON.stringify(row);
    size += Buffer.byteLength(text) + 1;
    if (size > mostBytes) break;
    rows.push(text);
  }
  const after = rows.length < all.rows.length ? keyOf(answer[rows.length - 1]) : all.after;
  return new Response(`[${rows.join(',')}]`, {
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(after === undefined ? {} : { link: nextLink(c, call, after) }),
    },
  });
}

/** As many rows as were asked for, and the key of the last of them where more follow. */
export function paginate(answer: unknown[], limit: unknown): { rows: unknown[]; after: string | undefined } {
  const rows = answer.slice(0, Number(limit ?? mostRows));
  return { rows, after: rows.length < answer.length ? keyOf(rows.at(-1)) : undefined };
}

const keyOf = (row: unknown): string | undefined =>
  typeof row === 'object' && row !== null && '_id' in row ? String(row._id) : undefined;

/**
 * Where the list goes on (RFC 8288). Only what the call takes is asked again: escaped, the rest could make a header
 * that is longer than any client reads.
 */
function nextLink(c: Context<Env>, call: Call, after: string): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(c.req.query()))
    if (call.query && Object.hasOwn(call.query.shape, name)) query.set(name, value.trim());
  query.set('after', after);
  return `<${c.req.path}?${query}>; rel="next"`;
}
