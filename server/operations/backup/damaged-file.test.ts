import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { pack, unpack } from '../../../tests/support/backups.ts';
import { makeFolder } from '../../../tests/support/database.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { readConfig } from '../../config/config.ts';
import { writeBackup } from './backup.ts';
import { restoreBackup } from './restore.ts';

let folder: string;
let file: string;
let whole: Buffer;
/** What it unpacks to, and the last line of that, apart. */
let lines: string;
let end: string;
let place: string;

beforeAll(async () => {
  folder = makeFolder();
  file = join(folder, 'backup');
  await using shop = await startShop();
  await shop.addProduct();
  await writeBackup(shop.config, file, new AbortController().signal);
  whole = readFileSync(file);
  lines = unpack(file);
  end = zstdDecompressSync(whole).toString().slice(lines.length);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  place = join(folder, 'place');
  rmSync(file, { recursive: true, force: true });
});

/** It is refused with that sentence, and the place is as it was: not there. */
async function expectRefused(sentence: string | RegExp): Promise<void> {
  const restored = restoreBackup(readConfig({ DATA_DIR: place }), file);
  await expect(restored).rejects.toMatchObject({ name: 'ShopError' });
  await expect(restored).rejects.toThrow(sentence);
  expect(readdirSync(folder)).not.toContain('place');
}

test('one that cannot be read', async () => {
  await expectRefused(`${file} cannot be read (ENOENT).`);
  mkdirSync(file);
  await expectRefused('(EISDIR)');
});

test('a file of another kind', async () => {
  const others = [
    '',
    'a picture of a clock',
    gzipSync(lines),
    zstdCompressSync(''),
    zstdCompressSync('{}\n'),
  ];
  for (const other of [...others, zstdCompressSync('null\n[]\n'), zstdCompressSync('clock')]) {
    writeFileSync(file, other);
    await expectRefused(`${file} is not a backup of this shop: nothing was restored.`);
  }
});

test('one that was cut off, wherever', async () => {
  for (const part of [0.2, 0.5, 0.9, 0.999]) {
    writeFileSync(file, whole.subarray(0, Math.floor(whole.length * part)));
    await expectRefused(/is damaged or was cut off|is not a backup/);
  }
  // Packed well, and without its end, or without the last line before it.
  writeFileSync(file, zstdCompressSync(lines));
  await expectRefused('is damaged or was cut off: nothing was restored.');
  writeFileSync(file, zstdCompressSync(lines.slice(0, lines.lastIndexOf('[')) + end));
  await expectRefused('is damaged or was cut off');
});

test('one in which anything was changed, wherever', async () => {
  for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 40)) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    writeFileSync(file, changed);
    await expectRefused(/is damaged or was cut off|is not a backup|newer release .format/);
  }
  // Packed well.
  writeFileSync(file, zstdCompressSync(lines.replace('Pivot Gauge', 'Pivot gauge') + end));
  await expectRefused('is damaged or was cut off');
  writeFileSync(file, zstdCompressSync(`${lines}${end}[]\n`));
  await expectRefused('is damaged or was cut off');
});

test('one of a newer release', async () => {
  pack(file, lines.replace('"004-audit"', '"004-audit","999-later"'));
  await expectRefused('was made by a newer release (999-later): restore it with that one.');
  pack(file, lines.replace('"format":1', '"format":2'));
  await expectRefused('was made by a newer release (format 2)');
});

test('one that speaks of other tables than the shop’s', async () => {
  const more = (table: object) => `${lines}${JSON.stringify(table)}\n["clock"]\n`;
  const other = { table: 'other', columns: { name: 'text' }, key: ['name'] };
  for (const schema of ['main', 'pg_catalog']) {
    pack(file, more({ ...other, schema }));
    await expectRefused('is damaged or was cut off');
  }
  pack(file, lines.replace('"004-audit"', '"\\u001b[2J"'));
  await expectRefused('is not a backup of this shop');
  for (const table of ['other', 'sqlite_master', 'pg_authid']) {
    pack(file, more({ ...other, table }));
    const restored = restoreBackup(readConfig({ DATA_DIR: place }), file);
    await expect(restored).rejects.toThrow(`${file} is not a backup of this shop: nothing was restored.`);
  }
});
