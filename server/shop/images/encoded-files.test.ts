import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameEncoded } from './addresses.ts';
import { readEncoded, writeEncoded } from './encoded-files.ts';

test('a picture that was kept as files is the same picture again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  const encoded = nameEncoded(['a', 'b', 'c'].map((text) => new TextEncoder().encode(text)));
  await writeEncoded(join(folder, 'demo'), 'tweezers', encoded);
  const read = await readEncoded(join(folder, 'demo'), 'tweezers');
  const widths = read.widths.map((one) => ({ ...one, bytes: new Uint8Array(one.bytes) }));
  expect({ ...read, widths }).toEqual(encoded);
  await expect(readEncoded(folder, 'missing')).rejects.toThrow();
  await rm(folder, { recursive: true });
});
