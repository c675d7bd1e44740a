import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EncodedImage, imageWidths, nameByHash } from './addresses.ts';

/** Writes an image as `{name}-{width}.webp`. The build does so for the demo images, to make the first start fast. */
export async function writeEncodedFiles(folder: string, name: string, encoded: EncodedImage): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { width, bytes } of encoded.widths) await writeFile(getFilePath(folder, name, width), bytes);
}

/** Reads files written by `writeEncodedFiles`. Throws if one is missing. */
export async function readEncodedFiles(folder: string, name: string): Promise<EncodedImage> {
  return nameByHash(
    await Promise.all(imageWidths.map((width) => readFile(getFilePath(folder, name, width)))),
  );
}

function getFilePath(folder: string, name: string, width: number): string {
  return join(folder, `${name}-${width}.webp`);
}
