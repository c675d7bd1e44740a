import type { Context } from 'hono';
import type { Call } from '../../../contract/call.ts';
import type { Env } from '../request-context.ts';

/** A list returns at most 1,000 rows or 1 MB over HTTP, whichever comes first. Pages request at most 200 rows. */
const maxRows = 1000;
const maxBytes = 1_000_000;

/** The SQL limit of a list's query: one row more than the page, to find out whether more rows follow. */
export function toSqlLimit(query: { limit?: number | undefined }): number {
  return (query.limit ?? maxRows) + 1;
}

/** The HTTP response of a call. A list has as many rows as fit, with a `Link` to the next page. */
export function createCallResponse(c: Context<Env>, call: Call, answer: unknown): Response {
  const isPublic = call.access === 'everyone' && call.method === 'GET' && c.env.anonymous;
  const headers = cachingHeaders(isPublic);
  if (!Array.isArray(answer)) return Response.json(answer, { status: call.status ?? 200, headers });
  const page = paginate(answer, c.req.query('limit'));
  const rows: string[] = [];
  let size = 2;
  for (const row of page.rows) {
    const text = JSON.stringify(row);
    size += Buffer.byteLength(text) + 1;
    if (size > maxBytes) break;
    rows.push(text);
  }
  const after = rows.length < page.rows.length ? page.rows[rows.length - 1]?._id : page.after;
  return new Response(`[${rows.join(',')}]`, {
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(after === undefined ? {} : { link: nextLink(c, call, after) }),
    },
  });
}

const cachingHeaders = (isPublic: boolean) => ({
  'cache-control': `${isPublic ? 'public' : 'private'}, no-cache`,
  vary: 'Cookie, Authorization',
});

/** For a client that has the current response. A browser gives the page its cached response instead of the 304. */
export const createNotModified = (): Response =>
  new Response(null, { status: 304, headers: cachingHeaders(false) });

/** The rows of one page, and the id of the last one if more rows follow. */
export function paginate(answer: { _id: string }[], limit: unknown) {
  const rows = answer.slice(0, Number(limit ?? maxRows));
  return { rows, after: rows.length < answer.length ? rows.at(-1)?._id : undefined };
}

/**
 * `Link` (RFC 8288) with the call's own query parameters. It leaves out others, which could exceed the header size that clients
 * accept.
 */
function nextLink(c: Context<Env>, call: Call, after: string): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(c.req.query()))
    if (call.query && Object.hasOwn(call.query.shape, name)) query.set(name, value.trim());
  query.set('after', after);
  return `<${c.req.path}?${query}>; rel="next"`;
}
