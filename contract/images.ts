import { z } from 'zod';
import type { Call } from './call.ts';
import { paths } from './paths.ts';

/** What the hosting service answers; `success` and `data.url` are what the client reads. */
export const uploaded = z.object({
  success: z.boolean(),
  status: z.int(),
  data: z
    .object({ url: z.string() })
    .optional()
    .describe('`url` is what a product or a review takes as its `img`.'),
  error: z.object({ message: z.string() }).optional(),
});
export type Uploaded = z.output<typeof uploaded>;

/** Multipart with the field `image`; a `key` in the query is the hosted service's and ignored here. */
export const uploadImage = {
  ...paths.uploadImage,
  summary: 'Put a picture on the image host: JPEG, PNG, WebP, AVIF or GIF of at most 10 MB',
  who: 'person',
  query: z.object({
    key: z.string().max(300).optional().describe("The hosted service's; ignored here."),
  }),
  answer: uploaded,
  errors: [400, 401, 403, 413, 415, 429],
} as const satisfies Call;
