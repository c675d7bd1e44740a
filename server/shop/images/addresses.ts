import { createHash } from 'node:crypto';

/** Every image is stored in these widths, in pixels. A smaller image has its own width under all three names. */
export const imageWidths = [240, 480, 960] as const;

/** An image as it is stored: in every width, named by the SHA-256 of the widest. */
export type EncodedImage = {
  hash: string;
  /** The path of the widest, used as `img` of a product or review. */
  url: string;
  widths: { id: string; width: number; type: 'image/webp'; bytes: Uint8Array }[];
};

/** `webp` holds the image's files in the order of `imageWidths`. */
export function nameByHash(webp: Uint8Array[]): EncodedImage {
  const widest = webp.at(-1);
  if (webp.length !== imageWidths.length || !widest) throw new TypeError('An image has three widths');
  const hash = createHash('sha256').update(widest).digest('hex');
  const widths = webp.map((bytes, index) => {
    const width = imageWidths[index] ?? 0;
    return { id: `${hash}-${width}`, width, type: 'image/webp' as const, bytes };
  });
  return { hash, url: `/images/${hash}-960.webp`, widths };
}

/** Parses `/images/{hash}-{width}.webp` into the image's hash and its row's id. */
export function parseImagePath(path: string): { hash: string; id: string } | undefined {
  const [, id, hash] = /^\/images\/(([0-9a-f]{64})-(?:240|480|960))\.webp$/.exec(path) ?? [];
  return id && hash ? { hash, id } : undefined;
}
