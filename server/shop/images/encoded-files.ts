import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EncodedImage, imageWidths, nameByHash } from './addresses.ts';

/**
 * Keeps a picture as files, `{name}-{width}.webp`: the build encodes the demo pictures, so that the shop's
 * first start need not. Their hash is not kept beside them; it follows from the bytes.
 */
export async function writeEncodedFiles(folder: string, name: string, encoded: EncodedImage): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { width, bytes } of encoded.widths) await writeFile(fileOf(folder, name, width), bytes);
}

/** Reads what `writeEncoded` wrote. Throws when a file is missing. */
export async function readEncodedFiles(folder: string, name: string): Promise<EncodedImage> {
  return nameByHash(await Promise.all(imageWidths.map((width) => readFile(fileOf(folder, name, width)))));
}

function fileOf(folder: string, name: string, width: number): string {
  return join(folder, `${name}-${width}.webp`);
}
