import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameByHash } from './addresses.ts';
import { readEncodedFiles, writeEncodedFiles } from './encoded-files.ts';

test('a picture that was kept as files is the same picture again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  const encoded = nameByHash(['a', 'b', 'c'].map((text) => new TextEncoder().encode(text)));
  await writeEncodedFiles(join(folder, 'demo'), 'tweezers', encoded);
  const read = await readEncodedFiles(join(folder, 'demo'), 'tweezers');
  const widths = read.widths.map((one) => ({ ...one, bytes: new Uint8Array(one.bytes) }));
  expect({ ...read, widths }).toEqual(encoded);
  await expect(readEncodedFiles(folder, 'missing')).rejects.toThrow();
  await rm(folder, { recursive: true });
});
