import { z } from 'zod';
import type { Call } from '../call.ts';
import { paths } from '../paths.ts';

/** 10 MiB, so that a file shown as "10 MB" is accepted whichever megabyte the computer uses. */
export const maxImageBytes = 10 * 1024 * 1024;
export const fileTooLarge = 'This image is too large: the limit is 10 MB.';

/** The image host's response. The client reads `success` and `data.url`. */
export const uploaded = z.object({
  success: z.boolean(),
  status: z.int(),
  data: z.object({ url: z.string() }).optional().describe('`url` is the `img` of a product or a review.'),
  error: z.object({ message: z.string() }).optional(),
});
export type Uploaded = z.output<typeof uploaded>;

export const imageCalls = {
  /** The body is multipart with the field `image`. */
  uploadImage: {
    ...paths.uploadImage,
    summary: 'Upload an image: JPEG, PNG, WebP, AVIF or GIF, at most 10 MB',
    access: 'signed-in',
    query: z.object({
      key: z.string().max(300).optional().describe("The hosted service's client key; ignored here."),
    }),
    response: uploaded,
    errors: [429],
  },
} as const satisfies Record<string, Call>;
