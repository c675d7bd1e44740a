import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EncodedPicture, nameEncoded, pictureWidths } from './addresses.ts';

/**
 * Keeps a picture as files, `{name}-{width}.webp`: the build encodes the demo pictures, so that the shop's
 * first start need not. Their hash is not kept beside them; it follows from the bytes.
 */
export async function writeEncoded(folder: string, name: string, encoded: EncodedPicture): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { width, bytes } of encoded.widths) await writeFile(fileOf(folder, name, width), bytes);
}

/** Reads what `writeEncoded` wrote. Throws when a file is missing. */
export async function readEncoded(folder: string, name: string): Promise<EncodedPicture> {
  return nameEncoded(await Promise.all(pictureWidths.map((width) => readFile(fileOf(folder, name, width)))));
}

function fileOf(folder: string, name: string, width: number): string {
  return join(folder, `${name}-${width}.webp`);
}
