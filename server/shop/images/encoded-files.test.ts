import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameByHash } from './addresses.ts';
import { readEncodedFiles, writeEncodedFiles } from './encoded-files.ts';

test('an image written to files is read back unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'images-'));
  const encoded = nameByHash(['a', 'b', 'c'].map((text) => new TextEncoder().encode(text)));
  await writeEncodedFiles(join(folder, 'demo'), 'tweezers', encoded);
  const read = await readEncodedFiles(join(folder, 'demo'), 'tweezers');
  const widths = read.widths.map((width) => ({ ...width, bytes: new Uint8Array(width.bytes) }));
  expect({ ...read, widths }).toEqual(encoded);
  await expect(readEncodedFiles(folder, 'missing')).rejects.toThrow();
  await rm(folder, { recursive: true });
});
