import { z } from 'zod';

/** An error answer, `application/problem+json` (RFC 9457). */
export const problem = z.object({
  /** Which error it is; a word of the shop's behind `urn:problem:`. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  /** What is wrong with this request and what to do, for a person to read. */
  detail: z.string(),
  /** Names the request in the shop's log. */
  requestId: z.string(),
  /** For bad input: each field that is wrong, in the order of the form. */
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  /** Facts to act on, such as `{ available: 2 }`. */
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

export type Problem = z.output<typeof problem>;
