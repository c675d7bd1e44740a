import type { z } from 'zod';

/**
 * Who is let in. `self` is the person whose e-mail the call names (`:email`, `?user=` or the body's `user`);
 * `owner` is the person an order belongs to: for others that order does not exist (404). `tests/access/` asks every
 * call as everybody, by this word.
 */
export type Who =
  | 'everybody'
  | 'person'
  | 'self'
  | 'self-or-admin'
  | 'owner'
  | 'owner-or-admin'
  | 'admin'
  | 'provider';

/**
 * One call on the wire. `errors` are the statuses that it may answer beside its own and those of all calls:
 * 503 while the database is away, 403 where a browser sends a changing one from another site; any address may be too
 * long (414) or not at this host (421).
 */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  who: Who;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Takes an optional `Idempotency-Key`: the same key from the same person gives the first answer again. */
  idempotent?: true;
  status?: 200 | 201;
  answer: z.ZodType;
  errors: readonly number[];
  /** Which of the shop's words a 409 may bring (`contract/errors.ts`). */
  conflicts?: readonly string[];
};

export type Params<C extends Call> = C['params'] extends z.ZodType
  ? z.output<C['params']>
  : Record<never, never>;
export type Query<C extends Call> = C['query'] extends z.ZodType
  ? z.output<C['query']>
  : Record<never, never>;
export type Body<C extends Call> = C['body'] extends z.ZodType ? z.output<C['body']> : undefined;
export type Answer<C extends Call> = z.output<C['answer']>;
