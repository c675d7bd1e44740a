import { z } from 'zod';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** One image for a decoder process, and the process's limit on resident memory meanwhile. */
export const decoderTask = z.object({ file: bytes, maxRssBytes: z.number() });
export type DecoderTask = z.infer<typeof decoderTask>;

/** The image in every width, a refusal for the visitor, or an unexpected error. */
export const decoderReply = z.union([
  z.object({ webp: z.array(bytes) }),
  z.object({ code: z.enum(['wrong_type', 'too_large']), message: z.string() }),
  z.object({ fault: z.string() }),
]);
export type DecoderReply = z.infer<typeof decoderReply>;

/** How a decoder process ends itself when it needs too much memory. Nothing else sends this signal. */
export const outOfMemorySignal = 'SIGUSR2';
