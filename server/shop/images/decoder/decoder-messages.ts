import { z } from 'zod';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** An image to decode, and the limit on the process's resident memory while it decodes. */
export const decoderTask = z.object({ file: bytes, maxRssBytes: z.number() });
export type DecoderTask = z.infer<typeof decoderTask>;

/** The image in every width, a rejection to show to the user, or an unexpected error. */
export const decoderReply = z.union([
  z.object({ webp: z.array(bytes) }),
  z.object({ code: z.enum(['wrong_type', 'too_large']), message: z.string() }),
  z.object({ fault: z.string() }),
]);
export type DecoderReply = z.infer<typeof decoderReply>;

/** A decoder process sends itself this signal when it needs too much memory. Nothing else sends it. */
export const outOfMemorySignal = 'SIGUSR2';
