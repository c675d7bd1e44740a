import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEncodedFiles, writeEncodedFiles } from './encoded-files.ts';

test('an image written to files is read back unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'images-'));
  const webp = ['a', 'b', 'c'].map((text) => Buffer.from(text));
  await writeEncodedFiles(join(folder, 'demo'), 'tweezers', webp);
  expect(await readEncodedFiles(join(folder, 'demo'), 'tweezers')).toEqual(webp);
  await expect(readEncodedFiles(folder, 'missing')).rejects.toThrow();
  await rm(folder, { recursive: true });
});
