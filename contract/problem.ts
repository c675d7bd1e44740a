import { z } from 'zod';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** An error response, `application/problem+json` (RFC 9457). */
export const problem = z.object({
  type: z.string().describe('`urn:problem:` followed by the error code.'),
  title: z.string().describe('The kind of error, in words.'),
  status: z.int(),
  detail: z.string().describe('What is wrong with this request and what to do about it.'),
  requestId: z.string().describe("Identifies the request in the shop's log."),
  errors: z
    .array(z.object({ field: z.string(), message: z.string() }))
    .optional()
    .describe('For invalid input: each invalid field, in form order.'),
  data: z
    .record(
      z.string(),
      z.union([
        value,
        z.record(z.string(), value),
        z.array(z.union([z.string(), z.record(z.string(), value)])),
      ]),
    )
    .optional()
    .describe('Values that a client can act on, such as `{ "available": 2 }`.'),
});

export type Problem = z.output<typeof problem>;
