import { createHash } from 'node:crypto';

/** The SHA-256 of the widest file. It identifies the image in every width. */
export const hashImage = (webp: Uint8Array[]) =>
  createHash('sha256')
    .update(webp.at(-1) ?? '')
    .digest('hex');

/** The URL of an image that is stored in these widths. The URL names the third width, because not every image has the fourth. */
export const getImagePath = (webp: Uint8Array[]): string => `/images/${hashImage(webp)}-960.webp`;

/** The path of an image in one width. `id` is the id of its row. */
export const formatImagePath = (id: string): string => `/images/${id}.webp`;

/** Parses `/images/{hash}-{width}.webp` into the image's hash and its row's id. */
export function parseImagePath(path: string): { hash: string; id: string } | undefined {
  const [, id, hash] = /^\/images\/(([0-9a-f]{64})-(?:240|480|960|1600))\.webp$/.exec(path) ?? [];
  return id && hash ? { hash, id } : undefined;
}
