import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageWidths } from '../server/shop/images/decoder/encode.ts';

/** Writes an image as `{name}-{width}.webp`. The build does so for the demo images, to make the first start fast. */
export async function writeEncodedFiles(folder: string, name: string, webp: Uint8Array[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const paths = listFilePaths(folder, name);
  for (const [index, bytes] of webp.entries()) await writeFile(paths[index] ?? '', bytes);
}

/** Reads files written by `writeEncodedFiles`. Throws if one is missing. */
export function readEncodedFiles(folder: string, name: string): Promise<Uint8Array[]> {
  return Promise.all(listFilePaths(folder, name).map((path) => readFile(path)));
}

const listFilePaths = (folder: string, name: string): string[] =>
  imageWidths.map((width) => join(folder, `${name}-${width}.webp`));
