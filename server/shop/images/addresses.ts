import { createHash } from 'node:crypto';

/** Every picture is kept in these widths, in pixels; one that is smaller keeps its own under all three names. */
export const imageWidths = [240, 480, 960] as const;

/** A picture as it is stored: in every width, named by the SHA-256 of the widest. */
export type EncodedImage = {
  hash: string;
  /** Where the widest is served: what `img` of a product or review holds. */
  url: string;
  widths: { id: string; width: number; type: 'image/webp'; bytes: Uint8Array }[];
};

/** Names a picture by what it is. `webp` holds its bytes in the order of `pictureWidths`. */
export function nameByHash(webp: Uint8Array[]): EncodedImage {
  const widest = webp.at(-1);
  if (webp.length !== imageWidths.length || !widest) throw new TypeError('A picture has three widths');
  const hash = createHash('sha256').update(widest).digest('hex');
  const widths = webp.map((bytes, index) => {
    const width = imageWidths[index] ?? 0;
    return { id: `${hash}-${width}`, width, type: 'image/webp' as const, bytes };
  });
  return { hash, url: `/images/${hash}-960.webp`, widths };
}

/** The hash and the row's id that an address of ours (`/images/{hash}-{width}.webp`) names. */
export function parseImagePath(path: string): { hash: string; id: string } | undefined {
  const [, id, hash] = /^\/images\/(([0-9a-f]{64})-(?:240|480|960))\.webp$/.exec(path) ?? [];
  return id && hash ? { hash, id } : undefined;
}
