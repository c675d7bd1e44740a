import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readBackupLines, writeBackupLines } from '../../../tests/support/backups.ts';
import { makeFolder } from '../../../tests/support/database.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { readConfig } from '../../config/config.ts';
import { restoreBackup } from './restore.ts';
import { writeBackup } from './write-backup.ts';

let folder: string;
let file: string;
let whole: Buffer;
/** The decompressed backup: `lines` are all lines but the last, and `end` is the last line. */
let lines: string;
let end: string;
let dataDir: string;

beforeAll(async () => {
  folder = makeFolder();
  file = join(folder, 'backup');
  await using shop = await startShop();
  await shop.addProduct();
  await writeBackup(shop.config, file, new AbortController().signal);
  whole = readFileSync(file);
  lines = readBackupLines(file);
  end = zstdDecompressSync(whole).toString().slice(lines.length);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  dataDir = join(folder, 'data');
  rmSync(file, { recursive: true, force: true });
});

/** Expects the restore to fail with this message and not to create DATA_DIR. */
async function expectRejected(message: string | RegExp): Promise<void> {
  const restored = restoreBackup(readConfig({ DATA_DIR: dataDir }), file);
  await expect(restored).rejects.toMatchObject({ name: 'ShopError' });
  await expect(restored).rejects.toThrow(message);
  expect(readdirSync(folder)).not.toContain('data');
}

test('restore rejects a file that cannot be read', async () => {
  await expectRejected(`${file} cannot be read (ENOENT).`);
  mkdirSync(file);
  await expectRejected('(EISDIR)');
});

test('restore rejects a file of another kind', async () => {
  const others = ['', 'some text', gzipSync(lines), zstdCompressSync(''), zstdCompressSync('{}\n')];
  for (const other of [...others, zstdCompressSync('null\n[]\n'), zstdCompressSync('text')]) {
    writeFileSync(file, other);
    await expectRejected(`${file} is not a backup of this shop: nothing was restored.`);
  }
});

test('restore rejects an incomplete file', async () => {
  for (const part of [0.2, 0.5, 0.9, 0.999]) {
    writeFileSync(file, whole.subarray(0, Math.floor(whole.length * part)));
    await expectRejected('is damaged or incomplete: nothing was restored.');
  }
  // Cut within the first compressed block, so that not even the head can be read.
  writeFileSync(file, whole.subarray(0, 200));
  await expectRejected('is damaged or incomplete: nothing was restored.');
  // The compressed data is valid, but the last line or the line before it is missing.
  writeFileSync(file, zstdCompressSync(lines));
  await expectRejected('is damaged or incomplete: nothing was restored.');
  writeFileSync(file, zstdCompressSync(lines.slice(0, lines.lastIndexOf('[')) + end));
  await expectRejected('is damaged or incomplete');
});

test('restore rejects a file with any change', async () => {
  for (let index = 0; index < whole.length; index += Math.ceil(whole.length / 40)) {
    const changed = Buffer.from(whole);
    changed[index] = (changed[index] ?? 0) ^ 0x10;
    writeFileSync(file, changed);
    await expectRejected(/is damaged or incomplete|is not a backup|newer release .format/);
  }
  // The compressed data is valid, but a line was changed or added.
  writeFileSync(file, zstdCompressSync(lines.replace('Pivot Gauge', 'Pivot gauge') + end));
  await expectRejected('is damaged or incomplete');
  writeFileSync(file, zstdCompressSync(`${lines}${end}[]\n`));
  await expectRejected('is damaged or incomplete');
});

test('restore rejects a file of a newer release, of a development version and of another draft', async () => {
  const replaceMigrations = (names: string) =>
    writeBackupLines(file, lines.replace(/"migrations":\[[^\]]*\]/, `"migrations":[${names}]`));
  replaceMigrations('"999-later"');
  await expectRejected(/has a migration \(999-later\) .*start the newer release/);
  replaceMigrations('"001-identity","002-shop"');
  await expectRejected(/was made by a development version from before 1\.0 .*tag 0\.9/);
  replaceMigrations('"001-baseline-0123456789abcdef"');
  await expectRejected('was made by another draft of release 1.0');
  writeBackupLines(file, lines.replace('"format":1', '"format":2'));
  await expectRejected('was made by a newer release (format 2)');
});

test('restore rejects a file with other tables than the shop’s', async () => {
  const more = (table: object) => `${lines}${JSON.stringify(table)}\n["text"]\n`;
  const other = { table: 'other', columns: { name: 'text' }, key: ['name'] };
  writeBackupLines(file, lines.replace('"001-baseline', '"\\u001b[2J'));
  await expectRejected('is not a backup of this shop');
  for (const table of ['other', 'sqlite_master', 'pg_authid']) {
    writeBackupLines(file, more({ ...other, table }));
    const restored = restoreBackup(readConfig({ DATA_DIR: dataDir }), file);
    await expect(restored).rejects.toThrow(`${file} is not a backup of this shop: nothing was restored.`);
  }
});
