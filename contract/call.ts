import type { z } from 'zod';

/**
 * The users who may make a call. `self` is the user whose email address the call names (`:email`, `?user=` or the body's
 * `user`). `owner` is the customer who placed the order, or the author of the review; everyone else gets 404.
 * `provider` is Stripe, by its signature.
 */
export type Access =
  | 'everyone'
  | 'signed-in'
  | 'self'
  | 'self-or-admin'
  | 'owner'
  | 'owner-or-admin'
  | 'admin'
  | 'provider';

/** A call of the HTTP API. */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Pages always send the bearer token with this call, as specified. */
  bearer?: true;
  summary: string;
  access: Access;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The media type of a body that is a file; the handler reads it. */
  file?: 'text/csv';
  /** Accepts an `Idempotency-Key`: the same key from the same user replays the first response. */
  idempotent?: true;
  /** Has an `ETag`, and responds with 304 to `If-None-Match` if nothing has changed. */
  conditional?: true;
  status?: 200 | 201;
  response: z.ZodType;
  /** The error statuses that do not follow from the rest of the definition (`call-errors.ts`), such as 402 and 429. */
  errors?: readonly number[];
  /** The error codes that a 409 may carry (`contract/errors.ts`). */
  conflicts?: readonly string[];
};

export type Params<C extends Call> = C['params'] extends z.ZodType
  ? z.output<C['params']>
  : Record<never, never>;
export type Query<C extends Call> = C['query'] extends z.ZodType
  ? z.output<C['query']>
  : Record<never, never>;
export type Body<C extends Call> = C['body'] extends z.ZodType ? z.output<C['body']> : undefined;
export type ResponseBody<C extends Call> = z.output<C['response']>;
