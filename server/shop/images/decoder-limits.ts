export type DecoderLimits = {
  /** The longest that one image may take, and the longest while a user waits who has used less time. */
  timeoutMs: number;
  sharedTimeoutMs: number;
  /** How long an idle process waits for the next image. */
  idleMs: number;
  /** Resident memory of a process. At 40 megapixels, AVIF took up to 1,075 MB, any other format up to 480 MB. */
  avifRssBytes: number;
  otherRssBytes: number;
};

export const decoderLimits: DecoderLimits = {
  timeoutMs: 30_000,
  sharedTimeoutMs: 5_000,
  idleMs: 10_000,
  avifRssBytes: 1_200_000_000,
  otherRssBytes: 640_000_000,
};
