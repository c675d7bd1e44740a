import { z } from 'zod';

/** An error answer, `application/problem+json` (RFC 9457). */
export const problem = z.object({
  type: z.string().describe("Which error it is: a word of the shop's behind `urn:problem:`."),
  title: z.string().describe('The same for a person.'),
  status: z.int(),
  detail: z.string().describe('What is wrong with this request and what to do, for a person to read.'),
  requestId: z.string().describe("Names the request in the shop's log."),
  errors: z
    .array(z.object({ field: z.string(), message: z.string() }))
    .optional()
    .describe('For bad input: each field that is wrong, in the order of the form.'),
  data: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('Facts to act on, such as `{ "available": 2 }`.'),
});

export type Problem = z.output<typeof problem>;
